"""The scikit-learn faces: learners and the anonymizer, for arrays and dataframes."""
