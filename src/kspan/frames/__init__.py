"""Files and dataframes in and out: everything before integers."""
