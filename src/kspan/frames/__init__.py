"""Files and dataframes in and out: everything before cells become integers."""
