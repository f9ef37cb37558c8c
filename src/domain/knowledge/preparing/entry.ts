import { Schema } from "effect"
import { WholeKnowledgeBase } from "../contract.ts"

const { title, contents } = WholeKnowledgeBase.fields

/** An entry that a worker has taken, as it was then. */
export const TakenEntry = Schema.Struct({
  operator_id: Schema.Int,
  id: Schema.Int,
  title,
  contents,
  attempts: Schema.Int,
  failures: Schema.Int
})
export type TakenEntry = typeof TakenEntry.Type
