"""The app: page settings and navigation, nothing else."""

import streamlit as st

from pages.components import cache

st.set_page_config(page_title="See differential privacy", layout="wide", initial_sidebar_state=330)
cache.freeze_imports()

st.navigation(
    {
        "Understand": [
            st.Page("pages/understand/home.py", title="Home", default=True),
            st.Page("pages/understand/learn.py", title="Learn"),
            st.Page("pages/understand/privacy_curves.py", title="Privacy curves"),
            st.Page("pages/understand/composition.py", title="Composition"),
            st.Page("pages/understand/output_perturbation.py", title="Output perturbation"),
            st.Page("pages/understand/objective_perturbation.py", title="Objective perturbation"),
            st.Page("pages/understand/exponential_mechanism.py", title="Exponential mechanism"),
            st.Page("pages/understand/log_concave.py", title="Log-concave pairs"),
            st.Page("pages/understand/learning_limits.py", title="Learning limits"),
        ],
        "Your data": [
            st.Page("pages/your_data/per_instance.py", title="Per-instance privacy"),
            st.Page("pages/your_data/privacy_map.py", title="Privacy map"),
            st.Page("pages/your_data/paper_figures.py", title="Per-instance figures"),
            st.Page("pages/your_data/private_training.py", title="Private training"),
            st.Page("pages/your_data/noise_augmentation.py", title="Noise augmentation"),
        ],
        "Verify": [
            st.Page("pages/verify/cross_check.py", title="Cross-check"),
            st.Page("pages/verify/audit.py", title="Audit"),
            st.Page("pages/verify/errata.py", title="Errata"),
        ],
    },
    position="top",
).run()
