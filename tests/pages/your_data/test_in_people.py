"""What a row and the worst case mean in people, on the page: of the chosen row, at both sliders, with the side it is on."""

import dpcore as dp
from tests.pages.tabs import library, opened, said

PAGE = "your_data/per_instance"


def plain(text: str) -> str:
    return text.replace("\\", "")


def test_the_most_exposed_row_and_any_record_follow_both_sliders():
    result = library(dp.PosteriorSampling(gamma=1.0, lam=1.0))
    top = int(result.most_exposed(1)[0])
    app = opened(PAGE, "pi_tab", "In people", pi_false_alarms=0.01, pi_prior=0.2)
    who = f"people like {result.dataset.row_name(top)}"
    shown = plain(said(app))
    assert dp.in_people(result.profile(top), 0.01, 0.2).told(who) in shown
    assert dp.in_people(result.worst_case, 0.01, 0.2).said in shown
    assert "not its whole curve" not in said(app, "caption")


def test_of_another_model_the_most_that_epsilon_allows_is_said_and_that_it_is_that():
    app = opened(PAGE, "pi_tab", "In people", source="breast_cancer")
    assert "not its whole curve" in said(app, "caption")
    assert plain(said(app)).count("wrongly accuses") >= 1
