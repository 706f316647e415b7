// kind: read
// The models that answered questions.
// column model: the model's name
// column family: its family, where it is known
MATCH (model:Model)
RETURN model.name AS model, model.family AS family
