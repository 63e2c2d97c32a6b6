"""Programs that measure memsite. None of them is a test: no figure is asserted."""
