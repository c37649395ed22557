"""Per-instance privacy: how exposed each row of a data set is to a released regression, and why."""

import streamlit as st

from dpcore.mechanisms.output_perturbation import OutputPerturbation
from dpcore.mechanisms.posterior_sampling import PosteriorSampling
from pages.components import cards, controls, data_input, export, individual_details, individual_views, report

MECHANISMS = {"posterior": "Posterior sample", "output": "Output perturbation"}
SHAPES = {"identity": "identity", "gram": "XᵀX (frozen)", "gram_squared": "(XᵀX)² (frozen)"}

cards.heading(
    "Per-instance privacy",
    "Find out how much a released ridge regression reveals about each single row of a data set, which rows are most "
    "exposed, and whether it is their leverage or their residual that gives them away.",
)

with st.sidebar:
    dataset = data_input.choose()
    st.divider()
    kind = st.segmented_control(
        "Mechanism", list(MECHANISMS), format_func=MECHANISMS.get, default="posterior", required=True, key="pi_kind",
        bind="query-params", persist_state="session",
        help="Posterior sample: release one draw from N(θ̂, H⁻¹/γ). Output perturbation: release θ̂ + N(0, σ²A⁻¹).",
    )  # fmt: skip
    lam = controls.log_slider("Regularisation λ", 0.01, 1000.0, 1.0, key="pi_lambda")
    if kind == "posterior":
        gamma = controls.log_slider("Inverse temperature γ", 1e-4, 1e4, 1.0, key="pi_gamma")
        mechanism = PosteriorSampling(gamma=gamma, lam=lam)
    else:
        sigma = controls.log_slider("Noise σ", 1e-3, 100.0, 1.0, key="pi_sigma")
        shape = st.selectbox(
            "Noise shape A", list(SHAPES), format_func=SHAPES.get, key="pi_shape", bind="query-params",
            persist_state="session",
            help="The noise covariance is σ²A⁻¹. The Gram shapes are computed from the data and treated as public: "
            "an exploration, not a guarantee.",
        )  # fmt: skip
        mechanism = OutputPerturbation(sigma=sigma, lam=lam, shape=shape)
    delta = controls.delta_slider("Failure probability δ", key="pi_delta", default=-6)

if dataset is None:
    individual_views.no_data(data_input.problem())
    st.stop()

view = individual_views.compute(dataset, mechanism, delta)
if view is None:
    st.stop()
individual_views.metrics(view)
st.caption(f":material/lock: {view.result.confidentiality}")
figures, selected = individual_views.charts(view)
individual_views.selection(view, selected)

names = [
    "Most exposed rows",
    "What to notice",
    "What-if record",
    "Ingest report",
    "Formula",
    "Code",
    "Download and link",
]
exposed, notes, what_if, ingest, formulas, program, take = st.tabs(names)
with exposed:
    individual_views.exposed_table(view)
with notes:
    cards.notice(individual_views.observations(view))
with what_if:
    individual_details.what_if(view)
with ingest:
    individual_details.ingest_report(dataset)
with formulas:
    cards.formula_cards([mechanism.card])
with program:
    cards.code(individual_details.program(view))
with take:
    export.downloads(figures, view.result.frame, "confidential_per_instance_privacy", note=view.result.confidentiality)
    report.download(dataset, mechanism, view.result, figures)
    export.link()
