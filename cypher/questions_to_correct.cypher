// kind: read
// The kept questions that an erratum is about: those whose key holds a fact, one question in all runs, or those with an answer;
// and those of the sample whose key goes on from the wrong answer of a question.
// parameter subject = null: the name of the fact's subject, folded; null if the erratum is not about a fact
// parameter relation = null: the fact's relation, folded
// parameter object = null: the name of the fact's object, folded
// parameter question = null: the question's id
// parameter wrong = null: the question's id, if the erratum says that its answer is wrong
// parameter answer = null: the answer, folded
// column id: the question's id
// column rests: whether its key goes on from the wrong answer
CALL () {
  MATCH (:Term {name: $subject})<-[:IS]-(:Entity)-[key:KEY]->(:Entity)-[:IS]->(:Term {name: $object})
  WHERE toLower(key.relation) = $relation
  WITH DISTINCT key.question AS id
  MATCH (question:Question {id: id})
  RETURN question, false AS rests
  UNION
  MATCH (named:Question {id: $question})
  MATCH (question:Question {sample: named.sample})
  WHERE question.id = named.id OR (question.text = named.text AND question.answer = named.answer)
  RETURN question, false AS rests
  UNION
  MATCH (named:Question {id: $wrong})
  MATCH (:Term {name: named.answer_term})<-[:IS]-(:Entity)-[key:KEY]-(:Entity)
  WITH DISTINCT named, key.question AS id
  MATCH (question:Question {id: id, sample: named.sample})
  WHERE question.text <> named.text
  RETURN question, true AS rests
  UNION
  MATCH (:Term {name: $answer})<-[:IS]-(:Entity)-[key:KEY]-(:Entity)
  WITH DISTINCT key.question AS id
  MATCH (question:Question {id: id, answer_term: $answer})
  RETURN question, false AS rests
}
WITH question, rests
WHERE question.status IN ['kept', 'revised']
RETURN DISTINCT question.id AS id, rests
