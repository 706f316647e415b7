// kind: read
// The given questions in other forms.
// parameter ids: question ids
// parameter form: the name of a form, or null for all
// column question: the question's id
// column form: the properties of the node
UNWIND $ids AS id
MATCH (question:Question {id: id})<-[:FORM_OF]-(form:Form)
WHERE $form IS NULL OR form.form = $form
RETURN question.id AS question, properties(form) AS form
