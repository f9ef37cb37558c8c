import { Data, Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { CurrentActor } from "../../contract/actor.ts"
import type { TrustedAccount } from "../../contract/caller.ts"
import { toReceivedInput } from "../../contract/input.ts"
import { type MainAccount, OperatorStore } from "../../domain/access/operators/OperatorStore.ts"
import type { Operators } from "../../domain/access/operators/Operators.ts"
import type { DatabaseSettings } from "../../platform/database/database-layers.ts"
import type { OperationName } from "../../service/Api.ts"
import type { Configuration } from "../../service/configuration.ts"
import { Service } from "../../service/service.ts"
import { toUnknownOperatorError } from "./command-failure.ts"
import { runCommand } from "./command-runner.ts"
import { type FieldFlags, nameFlagInMessage } from "./field-flags.ts"

class OperationRejected extends Data.TaggedError("OperationRejected")<{ readonly message: string }> {}

type CommandServices = Service | OperatorStore | CurrentActor | Operators | SqlClient | Configuration | DatabaseSettings

export interface CalledOperation<A> {
  readonly _tag: OperationName
  readonly successSchema: Schema.ConstraintCodec<A, unknown>
}

type CallFields = Readonly<Record<string, unknown>>

/** Calls an operation as the main account, whatever the operator's status and subscription. */
export const callOperation = Effect.fnUntraced(function* <A>(
  operation: CalledOperation<A>,
  operatorId: number,
  fields: CallFields,
  flags: FieldFlags = {}
) {
  const account =
    (yield* (yield* OperatorStore).findMainAccount(operatorId)) ?? (yield* toUnknownOperatorError(operatorId))
  const sentFields = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const { envelope } = yield* (yield* Service).call(operation._tag, {
    transport: "command-line",
    headers: {},
    params: {},
    trustedAccount: { ...toSignedInAccount(operatorId, account), actor: yield* CurrentActor },
    receive: Effect.succeed(toReceivedInput({ encoding: "json", fields: Object.fromEntries(sentFields) }))
  })
  return envelope.error_code === 0
    ? yield* Effect.orDie(Schema.decodeUnknownEffect(Schema.toCodecJson(operation.successSchema))(envelope.data))
    : yield* new OperationRejected({ message: nameFlagInMessage(envelope.error_msg, flags) })
})

export const runOperationCommand = <A extends object, E>(
  command: string,
  work: Effect.Effect<A, E, CommandServices>,
  format: (result: A) => string
) => runCommand(command, Effect.provide(work, layerCommandService), format)

const toSignedInAccount = (operatorId: number, account: MainAccount): TrustedAccount => ({
  caller: {
    ...account,
    operatorId,
    role: "main",
    tokenId: 0,
    tokenName: "command line",
    application: null,
    grantId: null,
    scope: "writable",
    edition: "pro"
  },
  status: "active",
  subscriptionUntil: null
})

/** Imported on demand, because other commands do not need the service. */
const layerCommandService = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("./command-service.ts")),
    (loaded) => loaded.layerCommandService
  )
)
