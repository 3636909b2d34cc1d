"""Feedback on right, wrong, missing and failing answers."""

import numpy as np
import pytest

from vbkit.press.exercises import Exercise


def check_exercise(student, reference, inputs, **words):
    return Exercise(reference, inputs, **words)(student)


def slope(x, w):
    return w * x


def draw(rng):
    return rng.normal(size=3), rng.normal()


def test_a_right_answer_passes():
    feedback = check_exercise(lambda a, b: b * a, slope, draw)
    assert feedback.passed and "all 8 inputs" in repr(feedback)
    assert check_exercise(
        lambda x: (x, [True, False]), lambda x: (x, np.array([1, 0])), [(1.5,)]
    ).passed


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda x, w: None, "Not yet"),
        (lambda x, w: ..., "Not yet"),
        (lambda x, w: w * x + [1, -1, 0], "The numbers differ"),
        (lambda x, w: 0 * x, "The numbers differ"),
        (lambda x, w: -w * x, "The sign is wrong"),
        (lambda x, w: (w * x)[::-1], "the right numbers in another order"),
        (lambda x, w: w * x / 0.75, "Each is 1.333333 times what is expected"),
        (lambda x, w: w * x / np.log(10), "Each is 0.4342945 times"),
        (lambda x, w: w * x - 0.5, "Each is too small by 0.5."),
        (lambda x, w: w * x + x**2, "Each is too large."),
        (lambda x, w: w * x + np.inf, "Not all of it is finite"),
        (lambda x, w: (w * x)[:2], "The shape is (2,), expected (3,)"),
        (lambda x, w: [[1], [1, 2]], "The rows differ in length"),
        (lambda x, w: 1 / 0, "raised ZeroDivisionError: division by zero"),
        (lambda x: x, "raised TypeError"),
        (lambda x, w: w * x if w < 0.5 else x, "Right at 6 of 8 inputs"),
        (3.0, "raised TypeError: 'float' object is not callable"),
        (lambda x, w: w * (x + 1), "At each input, all are off by the same amount"),
        (lambda x, w: x, "At each input, all are off by the same factor"),
    ],
)
def test_a_wrong_answer_is_told_what_is_wrong(answer, words):
    exercise = Exercise(slope, draw, hint="<multiply>")
    feedback = exercise(answer)
    assert (
        not feedback.passed
        and words in repr(feedback)
        and "multiply" not in repr(feedback)
    )
    again = exercise(answer)
    tried = "Not yet" not in repr(again)
    assert ("Hint: <multiply>" in repr(again)) == tried
    assert ("Hint: &lt;multiply&gt;" in again._repr_html_()) == tried
    assert "w * x" not in repr(feedback)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            lambda x: 2 * x,
            "pair(x=2) gives 4; expected (2, -2). These should be 2 values",
        ),
        (lambda x: (x, x), "expected (2, -2). Value 2 of 2: The sign is wrong"),
        (lambda x: (x, -x - 1), "Value 2 of 2: Each is too small by 1"),
        (lambda x: (3 * x, x), "Value 1 of 2: Each is 3 times what is expected"),
        (
            lambda x: (x, -min(x, 2)),
            "Right at 1 of 2 inputs. pair(x=5) gives (5, -2); expected (5, -5). Value 2 of 2: It",
        ),
    ],
)
def test_the_wrong_one_of_two_values_is_named(answer, words):
    answer.__name__ = "pair"
    assert words in repr(check_exercise(answer, lambda x: (x, -x), [(2,), (5,)]))


def test_one_number_alone_shows_no_factor_and_truth_values_no_size():
    assert repr(check_exercise(lambda x: 2 * x, lambda x: x, [(3.0,)])).endswith(
        "expected 3. It is too large."
    )
    assert repr(
        check_exercise(lambda x: x >= 2, lambda x: x > 2, [(2,), (3,)])
    ).endswith("They differ.")
    assert check_exercise(lambda x: x - x + 1e-15, lambda x: 0.0, [(3.0,)]).passed


def test_a_stub_that_raises_is_not_yet_and_inputs_are_not_spoiled():
    def stub(x, w):
        raise NotImplementedError

    def spoil(x, w):
        x *= w
        return x

    assert "Not yet: stub" in repr(check_exercise(stub, slope, draw))
    inputs = [(np.ones(2), 3.0)]
    assert check_exercise(spoil, slope, inputs).passed and inputs[0][0][0] == 1
    with pytest.raises(ValueError, match="inputs was empty"):
        check_exercise(slope, slope, [])
    assert "(x=[1., 1.], w=3) gives [0., 0.]" in repr(
        check_exercise(lambda x, w: 0 * x, slope, inputs)
    )


def inverse(x, w):
    """You divided."""
    return x / w


def flip(x, w):
    """You changed the sign."""
    return -w * x


def test_a_typical_mistake_is_recognised_at_every_input_or_not_at_all():
    exercise = Exercise(slope, draw, mistakes=(inverse, flip))
    assert repr(exercise(lambda x, w: x / w)).startswith("You divided.")
    assert repr(exercise(lambda x, w: -(x * w))).startswith("You changed the sign.")
    assert "You" not in repr(exercise(lambda x, w: x / w if w > 0.5 else x))
    with pytest.raises(ValueError, match="mistakes .'draw'. have no docstring"):
        Exercise(slope, draw, mistakes=(draw,))


def test_praise_says_what_it_means_and_what_to_try():
    exercise = Exercise(
        slope, draw, meaning="Lines add.", further="a curve.", hint="Multiply."
    )
    wrong = exercise(lambda x, w: x)
    assert not wrong.hint and exercise(lambda x, w: x).hint
    assert (
        repr(exercise(slope))
        == "Correct at all 8 inputs. Lines add. Try next: a curve."
    )
    assert not exercise(lambda x, w: x).hint  # a new start


def test_of_a_long_array_the_first_wrong_entry_is_shown():
    def answer(x):
        return x + (np.arange(9) > 3)

    words = repr(check_exercise(answer, lambda x: x, [(np.arange(9.0),)]))
    assert "answer(x=an array of shape (9,)) gives 5 at [4]; expected 4." in words
