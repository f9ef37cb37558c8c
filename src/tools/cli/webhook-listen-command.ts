import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Clock, Console, Effect, Layer, Option, Queue, Redacted, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { FetchHttpClient, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { BadRequest } from "../../contract/errors.ts"
import { formatUtcInstant, truncateToSecond } from "../../contract/time.ts"
import {
  hasValidSignature,
  parseSigningSecret,
  type SigningSecret
} from "../../domain/webhooks/deliveries/signature.ts"
import { Configuration } from "../../service/configuration.ts"
import { JsonFlag, reportFailure } from "./command-output.ts"
import { layerCommandSettings } from "./command-runner.ts"
import { registerWebhook } from "./webhook-registration.ts"

interface ReceivedEvent {
  readonly at: string
  readonly id: string
  readonly signature: "valid" | "invalid" | "unchecked"
  readonly body: string
}

const HOST = "127.0.0.1"
const PORT = 9999
const DEFAULT_STATUS = 200

const startReceiver = Effect.fnUntraced(function* (status: number) {
  const arrivals = yield* Queue.unbounded<{
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }>()
  yield* HttpServer.serveEffect(
    Effect.gen(function* () {
      const { headers, text } = yield* HttpServerRequest.HttpServerRequest
      yield* Queue.offer(arrivals, { headers, body: yield* text })
      return HttpServerResponse.empty({ status })
    })
  )
  const { address } = yield* HttpServer.HttpServer
  return { url: `${HttpServer.formatAddress(address)}/`, arrivals }
})

const toReceivedEvent = (
  { headers, body }: { readonly headers: Readonly<Record<string, string | undefined>>; readonly body: string },
  secret: SigningSecret | undefined,
  now: number
): ReceivedEvent => {
  const id = headers["webhook-id"] ?? ""
  const message = { id, timestamp: Number(headers["webhook-timestamp"]), body }
  const isValid = secret !== undefined && hasValidSignature(message, headers["webhook-signature"] ?? "", secret, now)
  return {
    at: formatUtcInstant(truncateToSecond(now)),
    id,
    signature: secret === undefined ? "unchecked" : isValid ? "valid" : "invalid",
    body
  }
}

const registrationHelp = (url: string, serviceUrl: string): string =>
  [
    `Listening on ${url}. Subscribe this address with`,
    "",
    `  curl -H "Service-Access-Token: $TOKEN" -H "Content-Type: application/json" -d '{"url": "${url}"}' ${serviceUrl}/v3/webhooks`,
    "",
    `or give this command --token. Start the service with WEBHOOK_ALLOWED_HOSTS=${HOST} and plain http on this machine.`,
    ""
  ].join("\n")

const formatEvent = ({ at, id, signature, body }: ReceivedEvent): string =>
  `${at}  ${id}  signature ${signature}\n  ${body}`

const parseSecretFlag = (text: Option.Option<Redacted.Redacted>) =>
  Option.match(text, {
    onNone: () => Effect.succeed(undefined),
    onSome: (secretText) =>
      Effect.fromResult(
        Result.mapError(
          parseSigningSecret(Redacted.value(secretText)),
          (problem) => new BadRequest({ message: `--secret: ${problem}.` })
        )
      )
  })

export const webhookListenCommand = Command.make(
  "listen",
  {
    port: Flag.Int("port").pipe(
      Flag.withDescription(`Port on this machine (default: ${PORT})`),
      Flag.withDefault(PORT)
    ),
    secret: Flag.Redacted("secret").pipe(
      Flag.withDescription("Signing secret of the subscription, whsec_…, to check signatures (default: unchecked)"),
      Flag.optional
    ),
    token: Flag.Redacted("token").pipe(
      Flag.withDescription("Writable access token, to subscribe until the command ends (default: you subscribe)"),
      Flag.optional
    ),
    service: Flag.String("service").pipe(
      Flag.withDescription("Address of the service (default: PUBLIC_URL, or HOST and PORT)"),
      Flag.optional
    ),
    status: Flag.Int("answer").pipe(
      Flag.withDescription(`HTTP status to respond with; 500 shows the retries (default: ${DEFAULT_STATUS})`),
      Flag.withDefault(DEFAULT_STATUS)
    ),
    count: Flag.Int("count").pipe(
      Flag.withDescription("Exit after this number of events (default: never)"),
      Flag.optional
    )
  },
  ({ port, secret, token, service, status, count }) =>
    reportFailure(
      Effect.gen(function* () {
        const json = yield* JsonFlag
        const secretFromFlag = yield* parseSecretFlag(secret)
        const { publicUrl } = yield* Configuration
        const serviceUrl = Option.getOrElse(service, () => publicUrl)
        const { url, arrivals } = yield* startReceiver(status)
        const secretInUse = Option.isSome(token) ? yield* registerWebhook(serviceUrl, token.value, url) : secretFromFlag
        yield* Console.log(
          json
            ? JSON.stringify({ listening: url })
            : Option.isSome(token)
              ? `Listening on ${url}, subscribed at ${serviceUrl}.\n`
              : registrationHelp(url, serviceUrl)
        )
        for (let eventCount = 0; eventCount < Option.getOrElse(count, () => Number.POSITIVE_INFINITY); eventCount++) {
          const request = yield* Queue.take(arrivals)
          const event = toReceivedEvent(request, secretInUse, yield* Clock.currentTimeMillis)
          yield* Console.log(json ? JSON.stringify(event) : formatEvent(event))
        }
      }).pipe(
        Effect.scoped,
        Effect.provide(
          Layer.mergeAll(
            NodeHttpServer.layer(() => createServer(), { port, host: HOST }),
            FetchHttpClient.layer,
            layerCommandSettings
          )
        )
      )
    )
).pipe(Command.withDescription("Receive webhooks on this machine, and print each event with its signature check"))
