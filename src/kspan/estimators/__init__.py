"""The scikit-learn interfaces of the learners and the anonymizer, for arrays and dataframes."""
