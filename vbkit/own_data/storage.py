"""A fitted estimator as a file: arrays and a description in JSON, read without pickle.

The description names classes of vbkit by their room and their name, such as
"families.NormalWishart": a room's public names stay where its files may move.
"""

import json
from importlib import import_module
from pathlib import Path

import attrs
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

import vbkit
from vbkit.checks import as_instance

FORMAT = 2
TYPES = {"float32": np.float32, "float64": np.float64}  # settings that are types


def save_model(estimator, path) -> None:
    """Write a fitted estimator of `vbkit.own_data` to a new file `path` (.npz).

    Raises ValueError for something else, for one with a setting that cannot be written
    (such as a RandomState; give a seed), and if there is such a file already.
    """
    as_instance("estimator", estimator, BaseEstimator, "a fitted VariationalMixture")
    check_is_fitted(estimator)
    arrays: dict[str, np.ndarray] = {}
    content = {"format": FORMAT, "vbkit": vbkit.__version__, "model": estimator}
    description = json.dumps(content, default=lambda value: _encode(value, arrays))
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


def load_model(path) -> BaseEstimator:
    """Return the estimator that `save_model` wrote to the file `path`.

    No code of the file is run. Raises ValueError for a file that is not one of these.
    """
    if not Path(path).is_file():
        raise ValueError(f"path is {path}; there is no such file")
    model = None
    try:
        with open(path, "rb") as packed, np.load(packed, allow_pickle=False) as arrays:
            description = str(arrays["description"])
            version = json.loads(description)["format"]
            if version == FORMAT:
                content = json.loads(
                    description, object_hook=lambda code: _decode(code, arrays)
                )
                model = content["model"]
    except Exception as error:  # a damaged file may fail in any library that unpacks it
        raise ValueError(
            f"{path} is damaged, or is not a model that save_model wrote "
            f"({type(error).__name__})"
        ) from error
    if version != FORMAT:
        raise ValueError(
            f"{path} has the format {version}; this version reads {FORMAT}"
        )
    return as_instance(f"what {path} holds", model, BaseEstimator)


def _encode(value, arrays: dict[str, np.ndarray]):
    """A value that JSON has no form for, in simpler ones; its numbers go to `arrays`."""
    if isinstance(value, np.ndarray):
        return _encode_array(value, arrays)
    if isinstance(value, np.bool_ | np.integer | np.floating):
        return value.item()
    if isinstance(value, type) and value.__name__ in TYPES:
        return {"type": value.__name__}
    kind = type(value)
    if kind.__module__.startswith("vbkit."):
        if attrs.has(kind):
            return {
                "class": _public_name(kind),
                "fields": attrs.asdict(value, recurse=False, filter=_is_given),
            }
        if isinstance(value, BaseEstimator):
            return {"class": _public_name(kind), "fields": vars(value)}
    raise ValueError(
        f"{value!r:.80} cannot be written; give a setting that is a number or a name"
    )


def _encode_array(value: np.ndarray, arrays: dict[str, np.ndarray]) -> dict:
    """A place among `arrays`, or a list for names of a data frame's columns."""
    if value.dtype.kind not in "biufU":
        return {"names": value.tolist()}
    name = f"array{len(arrays)}"
    arrays[name] = value
    return {"array": name}


def _public_name(kind: type) -> str:
    """The room of a class and its name in it: "families.NormalWishart"."""
    room = kind.__module__.split(".")[1]
    return f"{room}.{kind.__name__}"


def _decode(code: dict, arrays):
    """What `_encode` made this of; what is inside of it has been decoded before."""
    if "array" in code:
        return arrays[code["array"]]
    if "names" in code:
        return np.array(code["names"], dtype=object)
    if "type" in code:
        return TYPES[code["type"]]
    if "class" in code:
        return _decode_object(code["class"], code["fields"])
    return code


def _is_given(field: attrs.Attribute, _) -> bool:
    """Whether a field of an attrs class is given to it, not worked out by it."""
    return field.init


def _decode_object(public_name: str, fields: dict):
    """An object of a class of vbkit. Raises ValueError for another class."""
    room, _, name = public_name.partition(".")
    kind = getattr(import_module(f"vbkit.{room}"), name)
    fields = {name: _with_tuples(value) for name, value in fields.items()}
    if attrs.has(kind):
        return kind(**fields)
    if not (isinstance(kind, type) and issubclass(kind, BaseEstimator)):
        raise ValueError(f"it names {public_name}")
    estimator = kind.__new__(kind)
    vars(estimator).update(fields)
    return estimator


def _with_tuples(value):
    """Lists, which JSON makes of tuples, as tuples again."""
    if not isinstance(value, list):
        return value
    return tuple(map(_with_tuples, value))
