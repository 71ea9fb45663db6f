"""The losses, as modules over the operators ``torch.ops.projnce``."""
