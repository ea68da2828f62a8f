"""How big should BERT be: what can be pruned, distilled, rounded or left out after fine-tuning, and what that costs."""
