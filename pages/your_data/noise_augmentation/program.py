"""The lines of dpcore behind the noise-augmentation page."""

from pages.your_data.noise_augmentation import study
from pages.your_data.noise_augmentation.state import AugmentationView
from pages.your_data.noise_augmentation.views import EPSILONS, SIZES


def program(state: AugmentationView) -> str:
    """The lines of dpcore that make these numbers."""
    if state.view == "private":
        last = f"audit.after_iterations(scenario, {state.after})" if state.after else "scenario.certified.pure_epsilon"
        return "\n".join([
            "import dpcore as dp",
            "audit = dp.audit.napp",
            f"scenario = audit.{state.scenario!r}",
            f"audit.attack(scenario, {state.attacked!r}).delta, {last}",
        ])  # fmt: skip
    if state.view == "realised":
        return "\n".join([
            "import dpcore as dp",
            f"target = dp.learners.napp.{state.regularizer!r}",
            "pictures = dp.exhibits.noise_augmentation.pictures",
            f"picture = pictures.realised_picture(target, {state.scenario.floor!r}, printed={state.printed!r})",
            "picture.theta, picture.moor, picture.curvature",
        ])  # fmt: skip
    return "\n".join(
        [
            *_case(state),
            *{"study": _study_code, "theory": _theory_code, "sizes": _sizes_code}.get(state.view, _learner_code)(state),
        ]
    )


def _case(state: AugmentationView) -> list[str]:
    """Lines that make the data."""
    if state.simulated:
        return [
            "import dpcore as dp",
            f"case = dp.exhibits.noise_augmentation.settings.example({state.data!r}, {state.n})",
        ]
    return [
        "import dpcore as dp",
        f"case = dp.exhibits.noise_augmentation.settings.from_dataset(dataset, {state.loss!r}, {state.clip!r})  # dataset: a dp.Dataset",
    ]


def _learner_code(state: AugmentationView) -> list[str]:
    certified = state.variant == "certified"
    more = ", clip=case.clip"
    if not certified:
        more = f", selection={state.selection!r}, weights={'printed' if state.printed else 'corrected'!r}{more}"
    seen = (
        f"pictures.row_picture(case, chosen['weighting'], chosen['noise'], {state.rows}, {2 if state.second else 1}).slope"
        if state.view == "rows"
        else "pictures.path_picture(case, chosen['weighting'], chosen['noise'], "
        f"selection={'none' if certified else state.selection!r}, "
        f"rows={state.rows if state.finite else None}, "
        f"limit={state.limit}{_cut(state)}).trace.theta"
    )
    return [
        "pictures = dp.exhibits.noise_augmentation.pictures",
        f"target = dp.learners.napp.{state.regularizer!r}",
        f"learner = dp.NoiseAugmentedLearner(case.loss, {state.epsilon!r}, {state.delta!r}, target, {state.variant!r}{more})",
        "plan = learner.plan(case.facts)  # a release: learner.fit(dataset, rng)",
        "chosen = plan.parameters",
        f"plan.profile.bound, plan.profile.epsilon({state.delta!r}), {seen}",
    ]


def _study_code(state: AugmentationView) -> list[str]:
    planned = study.study(state)
    source = f"{state.data!r}" if state.simulated else "case"
    return [
        "simulation = dp.exhibits.noise_augmentation.simulation",
        f"study = simulation.Simulation({source}, {planned.n}, {planned.epsilons}, {planned.strengths},",
        f"                              {planned.repeats}, {planned.delta!r}, {planned.printed}, protocol=simulation.{planned.protocol!r})",
        "points = {point.key: point for point in study.run({})}",
        f"simulation.summarise_simulation(study, points).of('VS+', 'prediction error', {max(planned.epsilons)})",
    ]


def _theory_code(state: AugmentationView) -> list[str]:
    return [
        "theory = dp.exhibits.noise_augmentation.theory",
        f"risk = theory.risk_against_epsilon(case, dp.learners.napp.{state.regularizer!r}, {state.delta!r}, {EPSILONS}, 10)",
        f"sample = theory.risk_against_n({state.strength!r}, {state.epsilon!r}, {state.delta!r}, {SIZES})",
        "risk.curves['measured, mean'], risk.exceeded, sample.mean",
    ]


def _sizes_code(state: AugmentationView) -> list[str]:
    known = [] if state.simulated else ['case = dp.exhibits.noise_augmentation.settings.example("linear", 200)']
    return [
        *known,
        "sizes = dp.exhibits.noise_augmentation.sizes",
        f"target = dp.learners.napp.{state.regularizer!r}",
        f"found = sizes.sample_size(case, target, {state.epsilon!r}, {state.delta!r}, {state.allowed!r}, {state.constant!r})",
        "found.least, found.records",
    ]


def _cut(state: AugmentationView) -> str:
    return "" if state.cut == float("-inf") else f", cut={state.cut!r}"
