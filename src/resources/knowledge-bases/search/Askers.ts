import { Context, Effect, Layer } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import type { Asking } from "./KnowledgeAnswers.ts"
import { AnswerStore } from "./store.ts"

/** Who asks on the command line, by its flags; a failure names the one that is wrong. */
export class Askers extends Context.Service<
  Askers,
  {
    /** The guest of a stay, or a stranger where none is named. */
    readonly named: (operatorId: number, stayCode: string | undefined) => Effect.Effect<Asking, NotFound>
  }
>()("latchkey/resources/knowledge-bases/Askers") {
  static readonly layer = Layer.effect(
    Askers,
    Effect.map(AnswerStore, (store) => Askers.of({ named: named(store) }))
  ).pipe(Layer.provide(AnswerStore.layer))
}

const named = (store: AnswerStore["Service"]) =>
  Effect.fnUntraced(function* (operatorId: number, stayCode: string | undefined) {
    const known = yield* store.known(operatorId, stayCode)
    if (!known.operator) return yield* new NotFound({ message: `--operator: there is no operator ${operatorId}.` })
    if (stayCode === undefined) return { stranger: true as const }
    if (!known.stay) {
      return yield* new NotFound({
        message: `--stay: operator ${operatorId} has no stay ${JSON.stringify(stayCode)}.`
      })
    }
    return { stayCode }
  })
