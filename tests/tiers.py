"""Of tests with many cases, those that run every time; the other cases are among the thorough ones.

The file and the test, then what the name of a case holds that is kept. A representative here stands for all: each case
asks the same question, and a fault of one alone is found by `.ci/run`, which runs the thorough tests too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

_TWO_PAGES = "^(understand/privacy_curves|your_data/privacy_map)"
KEPT = {  # two of each, or those that differ in kind
    "accountants/pld/test_composed.py::test_rare_large_losses_keep_the_bracket_narrow": "-10-|-0.5-",
    "accountants/pld/test_regressions.py::test_near_the_boundary_of_two_very_unequal_ranges": "^0.81",
    "accountants/test_contracts.py::test_contract": "^(laplace|subsampled-(pld|renyi))-",
    "accountants/test_contracts.py::test_no_upper_side_is_below_what_is_certified": "^(laplace|subsampled-(saddle|renyi))",
    "audit/test_membership.py::test_correct_mechanisms_are_not_refuted_more_often_than_alpha": "laplace|subsampled",
    "audit/test_self_audit.py::test_no_learner_is_refuted": "^one record|(dp_sgd|output_perturbation)$",
    "browser/test_live.py::test_a_chart_follows_its_slider": "^privacy_curves",
    "browser/test_live.py::test_what_is_read_while_a_slider_is_held_is_what_the_page_says_there": "pure_noise",
    "browser/test_report.py::test_it_opens_and_draws": "hostile",
    "browser/test_screens.py::test_a_page_fits_every_window": "^(composition|privacy_curves|per_instance)$",
    "calibration/test_objective.py::test_best_point_is_not_beaten_by_a_search": "^8.0$",
    "exhibits/per_instance/test_settings.py::test_each_mechanism_varies_its_own_noise_and_the_penalty": "linear",
    "exhibits/per_instance/test_settings.py::test_the_share_is_that_of_rows_whose_own_epsilon_is_at_most_the_target": "linear",
    "individual/analyses/test_objective_perturbation.py::test_delta_is_the_hockey_stick_of_the_d_dimensional_laws": (
        "as many rows|high leverage|little noise"
    ),
    "individual/publication/test_plan.py::test_attack_refutes_half_the_budget_and_not_the_budget": "^mechanism1",
    "individual/rows/test_advice.py::test_advice_followed_for_a_classifier_holds_without_the_expansion": "posterior|output",
    "individual/test_contracts.py::test_contract": "^(?!PosteriorSampleWorstCase.*(renyi|tradeoff|shapes))",
    "individual/test_glm_analyses.py::test_contract": "^(posterior-logistic|output-poisson)-",
    "individual/test_glm_worst_case.py::test_no_hostile_data_set_is_above_the_worst_case": (
        "^(logistic|squared)-.*output$|^poisson-.*posterior$"
    ),
    "learners/napp/test_fixed_points.py::test_direct_solution_minimises_what_the_weights_realise": (
        "^(ridge-moor-squared|ridge-sum-smoothed_hinge|lasso-moor-poisson|elastic_net-sum-logistic)$"
    ),
    "learners/napp/test_fixed_points.py::test_linear_fixed_points_are_those_of_scikit_learn": (
        "^(False-elastic_net-sum-3|True-lasso-moor-0)$"
    ),
    "learners/napp/test_guarantees.py::test_output_laws_have_mass_one_and_match_simulation": (
        "^(scenario0-moor|scenario2-vs_plus)$"
    ),
    "learners/test_contracts.py::test_contract": "^(objective|output)_perturbation-",
    "learners/test_objective_perturbation.py::test_what_the_solver_does_not_need_is_left_to_the_minimiser": (
        "^0.01-0.15$"
    ),
    "learners/test_sklearn.py::test_scikit_learns_own_checks": "LogisticRegression|PoissonRegressor",
    "mechanisms/objective_perturbation/test_bounds.py::test_order_of_the_divergences": "^setting[024]$",
    "mechanisms/objective_perturbation/test_contracts.py::test_general_losses": (
        "^(?!check_(renyi$|overrides_agree|tradeoff_agrees))"
    ),
    "mechanisms/objective_perturbation/test_contracts.py::test_monotone_losses": (
        "^(?!check_(shapes|overrides_agree|tradeoff_agrees))"
    ),
    "mechanisms/objective_perturbation/test_mechanism.py::test_curves_decrease_and_invert": "^(?!linearised)",
    "mechanisms/objective_perturbation/test_real_mechanisms.py::test_three_dimensions_by_sampling": "^3$",
    "mechanisms/objective_perturbation/test_tight.py::test_matches_the_theorem_and_is_never_below": (
        r"^(?!0\.2-0\.05-0\.5|0\.01-0\.001|0\.3-1\.0-0\.6932|0\.0011|5\.0)"
    ),
    "mechanisms/test_contracts.py::test_contract": (
        "^(?!(discrete|subsampled)_gaussian-[124]$|subsampled-(?!laplace|subsampled))"
    ),
    "pages/components/test_data_input.py::test_the_code_and_the_command_shown_give_the_numbers_shown": (
        "^(sample-posterior|upload by its own extremes|upload with stated ranges-objective)"
    ),
    "pages/test_contracts.py::test_page": (
        rf"{_TWO_PAGES}-|check_says_what_it_is|^your_data/private_training-check_every_preset"
    ),
    "pages/test_curator.py::test_no_control_of_a_readers_data_is_held_by_the_address": "per_instance",
    "pages/test_every_model.py::test_a_row_has_the_whole_story_of_linear_regression_or_a_sentence": "output",
    "pages/test_every_model.py::test_page_command_and_library_give_one_number": "^(logistic-output|poisson-posterior)$",
    "pages/test_live.py::test_a_frame_is_what_the_page_draws_there": "^(noise of the first mechanism|a line)$",
    "pages/test_presets.py::test_presets_are_named_by_what_they_show": "composition|errata",
    "pages/test_presets.py::test_the_place_in_the_source_is_a_tooltip": "composition",
    "pages/test_programs.py::test_it_runs": (
        r"^(?!understand/objective_perturbation-op_tab-state[02]|verify/audit-au_tab-state9)"
    ),
    "pages/test_states.py::test_a_preset_is_held_by_its_address": "Subsampling|Drawn wells",
    "pages/test_states.py::test_a_step_of_the_lecture_is_what_its_address_says": "^[06]$",
    "pages/understand/test_composition.py::test_every_preset_draws_and_its_code_runs": "k, not k|300 answers",
    "pages/understand/test_composition.py::test_extremes_of_every_step_are_answered": "^(0-laplace|1-gaussian)$",
    "pages/understand/test_learn.py::test_every_lesson_is_solved_by_its_slider_and_runs_at_both_ends": (
        "^(?!regularise|temperature|limits)"
    ),
    "pages/understand/test_log_concave.py::test_every_shape_at_both_ends": "^(kink|drawn)$",
    "pages/understand/test_objective_perturbation.py::test_the_note_on_renyi_curves_says_how_far_apart_they_are": (
        "much noise"
    ),
    "pages/understand/test_teach.py::test_a_step_opens_its_page_in_its_state": "^(More noise|What no private learner can do)$",
    "pages/verify/test_audit.py::test_every_learner_can_be_attacked": "output_perturbation|posterior_sampling",
    "pages/verify/test_audit.py::test_every_mechanism_can_be_attacked": "^(laplace|subsampled_gaussian)$",
    "pages/verify/test_audit.py::test_noise_augmentation_is_attacked_beside_its_certified_form": "^moor$",
    "pages/sources/test_errata.py::test_metrics_are_the_three_numbers": "^(?!pdp-thm14|pdp-lemma|napp-claims)",
    "pages/sources/test_noise_augmentation.py::test_ends_of_the_sliders": "^(rows|private)-",
    "pages/sources/test_noise_augmentation.py::test_every_view_answers_in_numbers_and_explains": (
        "^(rows|private|sizes|study)$"
    ),
    "pages/your_data/test_per_instance.py::test_extremes_are_no_exception": "^(state0-(Why|Floor)|state1-(Mech|Sub))",
    "pages/your_data/test_privacy_map.py::test_extremes_are_no_exception": (
        r"^(0\.01--15-posterior|1000\.0--1-output)$"
    ),
    "pages/your_data/test_private_training.py::test_extremes_by_hand_are_answered_or_refused_in_a_sentence": (
        r"^(tr_clip-0\.01|tr_lambda-10000)"
    ),
    "pages/your_data/test_private_training.py::test_presets_jump_without_an_exception": "Too little|Linear",
    "profiles/test_renyi.py::test_no_order_however_large_undercuts_the_truth": "^mechanism[01]-",
    "sampling/test_samplers.py::test_proximal_sampler_on_a_line": (
        "^(gaussian|median k=20|logistic k=10|quartic m=0.3|hinge k=3|huber k=8)"
    ),
}


def sort_into_tiers(items: Iterable[pytest.Item], whole: bool) -> None:
    """Mark the cases that are not kept; where whole files were asked for, each test named here must keep one."""
    kept: dict[str, bool] = {}
    for item in items:
        name, _, case = item.nodeid.removeprefix("tests/").removesuffix("]").partition("[")
        if name in KEPT:
            stays = bool(re.search(KEPT[name], case)) and not item.get_closest_marker("thorough")
            kept[name] = stays or kept.get(name, False)
            if not stays:
                item.add_marker(pytest.mark.thorough)
    if whole and (lost := [name for name, some in kept.items() if not some]):
        raise pytest.UsageError(f"tests/tiers.py keeps no case of {', '.join(lost)}")
