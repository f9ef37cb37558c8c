import { Clock, Effect, Result, Schema } from "effect"
import { makeDecoder } from "../../contract/decoder.ts"
import { RecordCode } from "../../contract/fields.ts"
import { parseJson } from "../../contract/json-text.ts"
import { decodeUtf8 } from "../../contract/utf8.ts"
import type { RemoteAccount } from "../../domain/channels/port/connector.ts"
import {
  ChannelDisconnected,
  ChannelNotServed,
  ChannelRefused,
  ChannelUnavailable,
  type ConnectorError
} from "../../domain/channels/port/errors.ts"
import type { HttpFailure, HttpResponse } from "../../domain/webhooks/deliveries/http-call.ts"
import { OutboundHttp } from "../../domain/webhooks/deliveries/OutboundHttp.ts"
import { buildSignatureHeaders } from "../../domain/webhooks/deliveries/signature.ts"
import { CONNECTOR_REQUEST_MS, CONNECTOR_RESPONSE_BYTES } from "../../platform/limits.ts"
import { customAlphabet } from "../../platform/random-text.ts"
import { ConnectorCache } from "./ConnectorCache.ts"
import type { ProtocolMessage, SendProtocolMessage } from "./outbound-protocol.ts"
import { makeThrottledWarning } from "./throttled-warning.ts"

const randomSuffix = customAlphabet("0123456789abcdefghjkmnpqrstvwxyz", 24)

interface UnreadableResponse {
  readonly why: string
}

type ResponseResult<A> = Result.Result<A, ConnectorError | UnreadableResponse>

const isUnreadable = (error: ConnectorError | UnreadableResponse): error is UnreadableResponse => !("_tag" in error)

const failUnreadable = (why: string): Result.Result<never, UnreadableResponse> => Result.fail({ why })

const parseResponseJson = ({ bytes, isComplete }: HttpResponse): Result.Result<unknown, UnreadableResponse> => {
  if (!isComplete) return failUnreadable(`is larger than ${CONNECTOR_RESPONSE_BYTES} bytes`)
  return Result.mapError(Result.flatMap(decodeUtf8(bytes), parseJson), (why) => ({ why }))
}

const decodeRefusal = makeDecoder(Schema.Struct({ reason: Schema.String, field: Schema.optionalKey(RecordCode) }))

const toChannelUnavailable = ({ reason }: HttpFailure): ChannelUnavailable => {
  if (reason === "timeout") return new ChannelUnavailable({ code: 504 })
  return new ChannelUnavailable({ code: reason === "closed" || reason === "protocol" ? 502 : 503 })
}

const UNAVAILABLE_CODES: ReadonlyMap<number, 503 | 504> = new Map([
  [429, 503],
  [503, 503],
  [408, 504],
  [504, 504]
])

const interpretErrorResponse = Effect.fnUntraced(function* (response: HttpResponse, channelType: string) {
  const { status } = response
  if (status === 410) return Result.fail(new ChannelDisconnected({ channelType }))
  const unavailableCode = UNAVAILABLE_CODES.get(status)
  if (unavailableCode !== undefined) return Result.fail(new ChannelUnavailable({ code: unavailableCode }))
  if (status !== 409 && status !== 422) return failUnreadable(`has status ${status}`)
  const refusal = parseResponseJson(response)
  if (Result.isFailure(refusal)) return Result.fail(refusal.failure)
  return yield* decodeRefusal(refusal.success).pipe(
    Effect.match({
      onFailure: ({ message }) => failUnreadable(`is an error response that cannot be read. ${message}`),
      onSuccess: (refused) => Result.fail(new ChannelRefused(refused))
    })
  )
})

const interpretResponse = Effect.fnUntraced(function* <A>(
  response: HttpResponse | HttpFailure,
  { decodeResponse }: ProtocolMessage<A>,
  channelType: string
): Effect.fn.Return<ResponseResult<A>> {
  if (response.outcome === "failed") return Result.fail(toChannelUnavailable(response))
  if (response.status !== 200) return yield* interpretErrorResponse(response, channelType)
  const json = parseResponseJson(response)
  if (Result.isFailure(json)) return Result.fail(json.failure)
  return yield* decodeResponse(json.success).pipe(
    Effect.match({
      onFailure: ({ message }) => failUnreadable(`cannot be read. ${message}`),
      onSuccess: (result) => Result.succeed(result)
    })
  )
})

export const makeConnectorClient = Effect.gen(function* () {
  const connectorCache = yield* ConnectorCache
  const outbound = yield* OutboundHttp
  const warn = makeThrottledWarning("a connector sent an invalid response")

  const postMessage = Effect.fnUntraced(function* (
    id: number,
    account: RemoteAccount,
    { type, payload }: ProtocolMessage<unknown>
  ) {
    const connector = yield* connectorCache.find(id)
    if (connector === undefined) return undefined
    const { channelType, accountId, originAccountId } = account
    const accountPayload = {
      channel_account_id: accountId,
      channel_type: channelType,
      origin_account_id: originAccountId
    }
    const body = JSON.stringify({ type, account: accountPayload, ...payload })
    const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    // Each attempt has a new message id, because connectors reject a repeated id.
    const headers = buildSignatureHeaders({ id: `act_${randomSuffix()}`, timestamp, body }, connector.secrets)
    return yield* outbound.request({
      method: "POST",
      url: connector.url,
      headers: { "content-type": "application/json", ...headers },
      body,
      timeout: CONNECTOR_REQUEST_MS,
      maxBytes: CONNECTOR_RESPONSE_BYTES
    })
  })

  return (id: number): SendProtocolMessage =>
    Effect.fnUntraced(function* (account, message) {
      const response = yield* postMessage(id, account, message)
      if (response === undefined) return yield* new ChannelNotServed({ channelType: account.channelType })
      const result = yield* interpretResponse(response, message, account.channelType)
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
