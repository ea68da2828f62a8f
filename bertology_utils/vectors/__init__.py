"""What is measured on vectors: geometry, pooling, similarity, neighbours, associations."""
