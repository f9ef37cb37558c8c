import { Effect, Redacted, Result, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { BadRequest } from "../../contract/errors.ts"
import { parseSecret } from "../../domain/webhooks/deliveries/signature.ts"

const Answer = Schema.Struct({
  error_code: Schema.Int,
  error_msg: Schema.String,
  data: Schema.Struct({
    webhook: Schema.optionalKey(Schema.Struct({ id: Schema.Int })),
    secret: Schema.optionalKey(Schema.String)
  })
})

/** Subscribes a URL at a running service until the scope closes; answers the signing secret. */
export const registered = Effect.fnUntraced(function* (service: string, token: Redacted.Redacted, url: string) {
  const client = yield* HttpClient.HttpClient
  const ask = (request: HttpClientRequest.HttpClientRequest) =>
    request.pipe(
      HttpClientRequest.setHeader("service-access-token", Redacted.value(token)),
      client.execute,
      Effect.flatMap(HttpClientResponse.schemaBodyJson(Answer)),
      Effect.mapError(() => new BadRequest({ message: `--service: ${service} is not a Latchkey service.` })),
      Effect.filterOrFail(
        ({ error_code }) => error_code === 0,
        ({ error_code, error_msg }) => new BadRequest({ message: `--service: returned ${error_code} ${error_msg}` })
      )
    )
  const { data } = yield* Effect.acquireRelease(
    ask(HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`${service}/v3/webhooks`), { url })),
    (made) => Effect.ignore(ask(HttpClientRequest.delete(`${service}/v3/webhooks/${made.data.webhook?.id}`)))
  )
  return yield* Effect.orDie(
    Effect.fromResult(Result.mapError(parseSecret(data.secret ?? ""), (why) => new Error(why)))
  )
})
