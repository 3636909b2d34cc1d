"""A fitted estimator as a file: arrays and a description in JSON, read without pickle."""

import json
import numbers
from importlib import import_module
from io import BytesIO
from pathlib import Path

import attrs
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

import vbkit
from vbkit.checks import as_instance
from vbkit.families.base import State

FORMAT = 1


def save_model(estimator, path) -> None:
    """Write a fitted estimator of `vbkit.estimators` to a new file `path` (.npz).

    Raises ValueError for something else, for one with a setting that cannot be written (such as a
    RandomState; give a seed), and if there is such a file already.
    """
    as_instance("estimator", estimator, BaseEstimator, "a fitted VariationalMixture")
    check_is_fitted(estimator)
    arrays: dict[str, np.ndarray] = {}
    told = {"format": FORMAT, "vbkit": vbkit.__version__, "model": _encode(estimator, arrays)}
    path, packed = Path(path), BytesIO()
    np.savez_compressed(packed, description=json.dumps(told), **arrays)
    try:
        file = path.open("xb")
    except FileExistsError:
        raise ValueError(f"path is {path}, which exists; give the name of a new file") from None
    except OSError as error:
        raise ValueError(f"path is {path}, which cannot be written: {error.strerror}") from error
    try:
        with file:
            file.write(packed.getbuffer())
    except BaseException:  # a full disk, for instance
        path.unlink()
        raise


def load_model(path):
    """Return the estimator that `save_model` wrote to the file `path`.

    No code of the file is run. Raises ValueError for a file that is not one of these.
    """
    if not Path(path).is_file():
        raise ValueError(f"path is {path}; there is no such file")
    try:
        with open(path, "rb") as packed, np.load(packed, allow_pickle=False) as file:
            told = json.loads(str(file["description"]))
            known = told["format"] == FORMAT
            model = _decode(told["model"], file) if known else None
    except Exception as error:  # a damaged file may fail in any of the libraries that unpack it
        words = "is damaged, or is not a model that save_model wrote"
        raise ValueError(f"{path} {words} ({type(error).__name__})") from error
    if not known:
        raise ValueError(f"{path} has the format {told['format']}; this version reads {FORMAT}")
    if not isinstance(model, BaseEstimator):
        raise ValueError(f"{path} holds no estimator")
    return model


def _encode(value, arrays: dict):
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, numbers.Number | np.bool_) and not isinstance(value, complex):
        return value.item() if isinstance(value, np.generic) else value
    if isinstance(value, State):
        return {"state": _encode(np.asarray(value), arrays), "at": _encode(value.origin, arrays)}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufU":
        name = f"array{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if isinstance(value, np.ndarray):  # the names of a data frame's columns
        return {"names": [_encode(each, arrays) for each in value]}
    if isinstance(value, tuple | list):
        return {"tuple": [_encode(each, arrays) for each in value]}
    if isinstance(value, type) and issubclass(value, np.generic):
        return {"type": value.__name__}
    kind, inside = type(value), type(value).__module__.split(".")[0] == "vbkit"
    if inside and (attrs.has(kind) or isinstance(value, BaseEstimator)):
        if attrs.has(kind):
            fields = {field.name: getattr(value, field.name) for field in attrs.fields(kind)}
        else:
            fields = vars(value)
        encoded = {name: _encode(each, arrays) for name, each in fields.items()}
        return {"class": f"{kind.__module__}:{kind.__name__}", "fields": encoded}
    raise ValueError(f"{value!r:.80} cannot be written; give a setting that is a number or a name")


def _decode(told, arrays):
    if not isinstance(told, dict):
        return told
    if "array" in told:
        return arrays[told["array"]]
    if "state" in told:
        return State(_decode(told["state"], arrays), _decode(told["at"], arrays))
    if "names" in told:
        return np.array(told["names"], dtype=object)
    if "tuple" in told:
        return tuple(_decode(each, arrays) for each in told["tuple"])
    if "type" in told:
        return {"float32": np.float32, "float64": np.float64}[told["type"]]
    module, _, name = told["class"].partition(":")
    if module.split(".")[0] != "vbkit":
        raise ValueError(f"it names {module}")
    kind = getattr(import_module(module), name)
    fields = {name: _decode(each, arrays) for name, each in told["fields"].items()}
    if attrs.has(kind):
        return kind(**fields)
    if not (isinstance(kind, type) and issubclass(kind, BaseEstimator)):
        raise ValueError(f"it names {told['class']}")
    estimator = kind.__new__(kind)
    vars(estimator).update(fields)
    return estimator
