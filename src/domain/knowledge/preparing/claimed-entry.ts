import { Schema } from "effect"
import { KnowledgeBaseWithContents } from "../contract.ts"

const { title, contents } = KnowledgeBaseWithContents.fields

/** An entry that a worker has taken, as it was then. */
export const ClaimedEntry = Schema.Struct({
  operator_id: Schema.Int,
  id: Schema.Int,
  title,
  contents,
  attempts: Schema.Int,
  failures: Schema.Int
})
export type ClaimedEntry = typeof ClaimedEntry.Type
