import { Effect, Redacted, Result, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { BadRequest } from "../../contract/errors.ts"
import { parseSigningSecret } from "../../domain/webhooks/deliveries/signature.ts"

const WebhookEnvelope = Schema.Struct({
  error_code: Schema.Int,
  error_msg: Schema.String,
  data: Schema.Struct({
    webhook: Schema.optionalKey(Schema.Struct({ id: Schema.Int })),
    secret: Schema.optionalKey(Schema.String)
  })
})

/** Subscribes a URL until the scope closes. Returns the signing secret. */
export const registerWebhook = Effect.fnUntraced(function* (service: string, token: Redacted.Redacted, url: string) {
  const client = yield* HttpClient.HttpClient
  const send = (request: HttpClientRequest.HttpClientRequest) =>
    request.pipe(
      HttpClientRequest.setHeader("service-access-token", Redacted.value(token)),
      client.execute,
      Effect.flatMap(HttpClientResponse.schemaBodyJson(WebhookEnvelope)),
      Effect.mapError(() => new BadRequest({ message: `--service: ${service} is not a Latchkey service.` })),
      Effect.filterOrFail(
        ({ error_code }) => error_code === 0,
        ({ error_code, error_msg }) => new BadRequest({ message: `--service: returned ${error_code} ${error_msg}` })
      )
    )
  const { data } = yield* Effect.acquireRelease(
    send(HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`${service}/v3/webhooks`), { url })),
    (registration) =>
      Effect.ignore(send(HttpClientRequest.delete(`${service}/v3/webhooks/${registration.data.webhook?.id}`)))
  )
  return yield* Effect.orDie(
    Effect.fromResult(Result.mapError(parseSigningSecret(data.secret ?? ""), (problem) => new Error(problem)))
  )
})
