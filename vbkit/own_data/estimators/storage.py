"""A fitted estimator as a file: arrays and a description in JSON, read without pickle."""

import json
from importlib import import_module
from pathlib import Path

import attrs
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

import vbkit
from vbkit.checks import as_instance

FORMAT = 1


def save_model(estimator, path) -> None:
    """Write a fitted estimator of `vbkit.own_data.estimators` to a new file `path` (.npz).

    Raises ValueError for something else, for one with a setting that cannot be written (such as a
    RandomState; give a seed), and if there is such a file already.
    """
    as_instance("estimator", estimator, BaseEstimator, "a fitted VariationalMixture")
    check_is_fitted(estimator)
    arrays: dict[str, np.ndarray] = {}
    told = {"format": FORMAT, "vbkit": vbkit.__version__, "model": estimator}
    description = json.dumps(told, default=lambda value: _encode(value, arrays))
    path = Path(path)
    try:
        file = path.open("xb")
    except FileExistsError:
        raise ValueError(
            f"path is {path}, which exists; give the name of a new file"
        ) from None
    except OSError as error:
        raise ValueError(
            f"path is {path}, which cannot be written: {error.strerror}"
        ) from error
    try:
        with file:
            np.savez_compressed(file, description=description, **arrays)
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
            description = str(file["description"])
            found, model = json.loads(description)["format"], None
            if found == FORMAT:
                told = json.loads(
                    description, object_hook=lambda told: _decode(told, file)
                )
                model = told["model"]
    except (
        Exception
    ) as error:  # a damaged file may fail in any of the libraries that unpack it
        words = "is damaged, or is not a model that save_model wrote"
        raise ValueError(f"{path} {words} ({type(error).__name__})") from error
    if found != FORMAT:
        raise ValueError(f"{path} has the format {found}; this version reads {FORMAT}")
    return as_instance(f"what {path} holds", model, BaseEstimator)


def _encode(value, arrays: dict):
    """A value that JSON has no form for, in simpler ones; its numbers go to `arrays`."""
    kind = type(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufU":
        name = f"array{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if isinstance(value, np.ndarray):  # the names of a data frame's columns
        return {"names": value.tolist()}
    if isinstance(value, np.bool_ | np.integer | np.floating):
        return value.item()
    if isinstance(value, type) and issubclass(value, np.generic):
        return {"type": value.__name__}
    if kind.__module__.split(".")[0] == "vbkit" and attrs.has(kind):
        fields = {
            field.name: getattr(value, field.name) for field in attrs.fields(kind)
        }
        return {"class": f"{kind.__module__}:{kind.__name__}", "fields": fields}
    if kind.__module__.split(".")[0] == "vbkit" and isinstance(value, BaseEstimator):
        return {"class": f"{kind.__module__}:{kind.__name__}", "fields": vars(value)}
    raise ValueError(
        f"{value!r:.80} cannot be written; give a setting that is a number or a name"
    )


def _decode(told: dict, arrays):
    """What `_encode` put into these terms; what is inside of them has been decoded before."""
    if "array" in told:
        return arrays[told["array"]]
    if "names" in told:
        return np.array(told["names"], dtype=object)
    if "tuple" in told:  # as files up to version 0.1 have it
        return _tuples(told["tuple"])
    if "type" in told:
        return {"float32": np.float32, "float64": np.float64}[told["type"]]
    if "class" not in told:
        return told
    module, _, name = told["class"].partition(":")
    if module.split(".")[0] != "vbkit":
        raise ValueError(f"it names {module}")
    kind = getattr(import_module(module), name)
    fields = {name: _tuples(value) for name, value in told["fields"].items()}
    if attrs.has(kind):
        return kind(**fields)
    if not (isinstance(kind, type) and issubclass(kind, BaseEstimator)):
        raise ValueError(f"it names {told['class']}")
    estimator = kind.__new__(kind)
    vars(estimator).update(fields)
    return estimator


def _tuples(value):
    """Lists, which JSON makes of tuples, as tuples again."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
