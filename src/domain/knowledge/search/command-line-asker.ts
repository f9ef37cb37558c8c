import { Effect } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import type { KnowledgeAsker } from "./KnowledgeAnswers.ts"
import { AnswerStore } from "./store.ts"

/**
 * Who asks on the command line, by its flags: the guest of a stay, or a stranger where none is named. A failure names the one that
 * is wrong.
 */
export const resolveCommandLineAsker = Effect.fnUntraced(function* (
  operatorId: number,
  stayCode: string | undefined
): Effect.fn.Return<KnowledgeAsker, NotFound, AnswerStore> {
  const { checkOperatorAndStayExist } = yield* AnswerStore
  const { operator, stay } = yield* checkOperatorAndStayExist(operatorId, stayCode)
  if (!operator) return yield* new NotFound({ message: `--operator: there is no operator ${operatorId}.` })
  if (stayCode === undefined) return { anonymous: true }
  if (!stay) {
    return yield* new NotFound({ message: `--stay: operator ${operatorId} has no stay ${JSON.stringify(stayCode)}.` })
  }
  return { stayCode }
})
