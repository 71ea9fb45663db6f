# How pages reach Doxygen. MAP@R is no command.
s#([A-Za-z])@#\1\\@#g
# Sources of examples are named, not linked.
s#\[([a-z_.]+)\]\(\.\./examples/[a-z_]+\.cpp\)#`examples/\1`#g
# The table of pieces leads to their documentation.
/^\| (losses|projections|encoders|information|evaluation)/ s#`([A-Za-z_]+)`#[\1](@ref projnce::\1)#g
