# How headers reach Doxygen. The shapes of tensors stand in plain comments behind them: they belong
# on the page too.
s@;( +)// @;\1///< @
# Indented lines are formulas: as code, they keep their lines.
s@^( *///)   +([^ ])@\1       \2@
