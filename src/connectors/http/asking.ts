import { Clock, Effect, Result, Schema } from "effect"
import { decoderOf } from "../../contract/decode.ts"
import { Code } from "../../contract/fields.ts"
import { parseJson } from "../../contract/json-text.ts"
import { textOf } from "../../contract/utf8.ts"
import type { AccountThere } from "../../domain/channels/port/connector.ts"
import {
  ChannelDisconnected,
  ChannelNotServed,
  ChannelRefused,
  ChannelUnavailable,
  type ConnectorError
} from "../../domain/channels/port/errors.ts"
import type { Failed, Read } from "../../domain/webhooks/deliveries/http-call.ts"
import { Outbound } from "../../domain/webhooks/deliveries/Outbound.ts"
import { signedHeaders } from "../../domain/webhooks/deliveries/signature.ts"
import { CONNECTOR_ACT_MS, CONNECTOR_ANSWER_BYTES } from "../../platform/limits.ts"
import { customAlphabet } from "../../platform/random-text.ts"
import type { Ask, Message } from "./acts.ts"
import { Known } from "./Known.ts"
import { makeSparing } from "./sparing.ts"

// A message to a connector, signed as webhooks are, and what its answer means.

const tail = customAlphabet("0123456789abcdefghjkmnpqrstvwxyz", 24)

/** An answer that is not one, as far as the log may tell it. */
interface Unreadable {
  readonly why: string
}

type Understood<A> = Result.Result<A, ConnectorError | Unreadable>

const isUnreadable = (error: ConnectorError | Unreadable): error is Unreadable => !("_tag" in error)

const unreadable = (why: string): Result.Result<never, Unreadable> => Result.fail({ why })

const jsonIn = ({ bytes, whole }: Read): Result.Result<unknown, Unreadable> => {
  if (!whole) return unreadable(`is larger than ${CONNECTOR_ANSWER_BYTES} bytes`)
  return Result.mapError(Result.flatMap(textOf(bytes), parseJson), (why) => ({ why }))
}

const readRefusal = decoderOf(Schema.Struct({ reason: Schema.String, field: Schema.optionalKey(Code) }))

/** What does not answer at all: that it did not get there is known of some, and nothing of the rest. */
const unanswered = ({ reason }: Failed): ChannelUnavailable => {
  if (reason === "timeout") return new ChannelUnavailable({ code: 504 })
  return new ChannelUnavailable({ code: reason === "closed" || reason === "protocol" ? 502 : 503 })
}

const AWAY: ReadonlyMap<number, 503 | 504> = new Map([
  [429, 503],
  [503, 503],
  [408, 504],
  [504, 504]
])

/** What an answer that is not 200 says. */
const saidNo = Effect.fnUntraced(function* (answer: Read, channelType: string) {
  const { status } = answer
  if (status === 410) return Result.fail(new ChannelDisconnected({ channelType }))
  const away = AWAY.get(status)
  if (away !== undefined) return Result.fail(new ChannelUnavailable({ code: away }))
  if (status !== 409 && status !== 422) return unreadable(`has status ${status}`)
  const refusal = jsonIn(answer)
  if (Result.isFailure(refusal)) return Result.fail(refusal.failure)
  return yield* readRefusal(refusal.success).pipe(
    Effect.match({
      onFailure: ({ message }) => unreadable(`is an error response that cannot be read. ${message}`),
      onSuccess: (said) => Result.fail(new ChannelRefused(said))
    })
  )
})

const understood = Effect.fnUntraced(function* <A>(
  answer: Read | Failed,
  { read }: Message<A>,
  channelType: string
): Effect.fn.Return<Understood<A>> {
  if (answer.outcome === "failed") return Result.fail(unanswered(answer))
  if (answer.status !== 200) return yield* saidNo(answer, channelType)
  const json = jsonIn(answer)
  if (Result.isFailure(json)) return Result.fail(json.failure)
  return yield* read(json.success).pipe(
    Effect.match({
      onFailure: ({ message }) => unreadable(`cannot be read. ${message}`),
      onSuccess: (result) => Result.succeed(result)
    })
  )
})

/** Speaks to connectors by their ids. */
export const makeAsking = Effect.gen(function* () {
  const known = yield* Known
  const outbound = yield* Outbound
  const warn = makeSparing("a connector sent an invalid response")

  const sent = Effect.fnUntraced(function* (id: number, account: AccountThere, { type, payload }: Message<unknown>) {
    const connector = yield* known.find(id)
    if (connector === undefined) return undefined
    const { channelType, accountId, originAccountId } = account
    const about = { channel_account_id: accountId, channel_type: channelType, origin_account_id: originAccountId }
    const body = JSON.stringify({ type, account: about, ...payload })
    const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    // Each try has an id of its own: an act that is done again must reach its connector again, and a copy must not.
    const headers = signedHeaders({ id: `act_${tail()}`, timestamp, body }, connector.secrets)
    return yield* outbound.ask({
      method: "POST",
      url: connector.url,
      headers: { "content-type": "application/json", ...headers },
      body,
      timeout: CONNECTOR_ACT_MS,
      most: CONNECTOR_ANSWER_BYTES
    })
  })

  return (id: number): Ask =>
    Effect.fnUntraced(function* (account, message) {
      const answer = yield* sent(id, account, message)
      if (answer === undefined) return yield* new ChannelNotServed({ channelType: account.channelType })
      const result = yield* understood(answer, message, account.channelType)
      if (Result.isSuccess(result)) return result.success
      const { failure } = result
      if (!isUnreadable(failure)) return yield* failure
      yield* warn(`${id} ${message.type}`, {
        connector_id: id,
        type: message.type,
        reason: `The answer ${failure.why}`
      })
      return yield* new ChannelUnavailable({ code: 502 })
    })
})
