import { Clock, Context, Effect, Layer, Option } from "effect"
import type { Rpc } from "effect/rpc"
import { CurrentOperator, Gated, type GateError } from "../contract/caller.ts"
import { isRead } from "../contract/operation.ts"
import { invalidToken, refusalOf } from "./admission.ts"
import { tokenOf } from "./credentials.ts"
import { type KnownToken, Tokens } from "./Tokens.ts"

type Headers = Readonly<Record<string, string | undefined>>

/** Who may call. The order of the checks is the specification's: token, subscription, scope. */
export class Gate extends Context.Service<
  Gate,
  {
    /** Runs `within` for the caller the headers name, or answers why not. */
    readonly pass: <A, E, R>(
      operation: Rpc.Any,
      headers: Headers,
      within: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | GateError, Exclude<R, CurrentOperator>>
    /** Whether the headers carry a token that is known, whatever its account's state. */
    readonly knows: (headers: Headers) => Effect.Effect<boolean>
  }
>()("latchkey/gate/Gate") {
  static readonly layer = Layer.effect(
    Gate,
    Effect.gen(function* () {
      const tokens = yield* Tokens

      const identify = Effect.fnUntraced(function* (headers: Headers) {
        const token = tokenOf(headers)
        const known = token === undefined ? undefined : yield* tokens.lookup(token)
        return known === undefined ? yield* invalidToken() : known
      })

      const admit = Effect.fn("Gate.admit")(function* (
        operation: Rpc.Any,
        headers: Headers
      ): Effect.fn.Return<KnownToken, GateError> {
        const token = yield* identify(headers)
        const now = yield* Clock.currentTimeMillis
        const refusal = refusalOf(token, { read: isRead(operation), now })
        return Option.isSome(refusal) ? yield* refusal.value : token
      })

      return Gate.of({
        pass: (operation, headers, within) =>
          Effect.flatMap(admit(operation, headers), (caller) =>
            Effect.provideService(within, CurrentOperator, caller)
          ),
        knows: (headers) => Effect.isSuccess(identify(headers))
      })
    })
  )

  /** The same Gate for the typed in-memory client of tests. */
  static readonly layerGated = Layer.effect(
    Gated,
    Effect.map(Gate, (gate) => Gated.of((within, call) => gate.pass(call.rpc, call.headers, within)))
  )
}
