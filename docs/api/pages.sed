# Prepares pages for Doxygen. MAP@R is not a command.
s#([A-Za-z])@#\1\\@#g
# Sources of examples are named, not linked.
s#\[([a-z_.]+)\]\(\.\./examples/[a-z_]+\.cpp\)#`examples/\1`#g
# Pages that are not part of the API documentation are named, not linked.
s#\[([^]]+)\]\((\.\./docs/)?(reports/[a-zA-Z_]+|architecture|datasets|file_formats|guide|labels|python|theory|training)\.md\)#\1#g
# The table of pieces leads to their documentation.
/^\| losses/ s#`([A-Za-z_]+)`#[\1](@ref projnce::loss::\1)#g
/^\| projections/ s#`([A-Za-z_]+)`#[\1](@ref projnce::projection::\1)#g
/^\| encoders/ s#`([A-Za-z_]+)`#[\1](@ref projnce::encoder::\1)#g
/^\| information/ s#`([A-Za-z_]+)`#[\1](@ref projnce::information::\1)#g
/^\| evaluation/ s#`([A-Za-z_]+)`#[\1](@ref projnce::eval::\1)#g
