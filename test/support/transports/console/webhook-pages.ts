import { randomBytes } from "node:crypto"
import { request as httpRequest } from "node:http"
import { Effect, Layer, References, Result } from "effect"
import type { TrustedAccount } from "../../../../src/contract/caller.ts"
import { Clients } from "../../../../src/domain/access/oauth/Clients.ts"
import { Passwords } from "../../../../src/domain/access/sign-in/Passwords.ts"
import { AllowedReceivers, parseAllowedHosts } from "../../../../src/domain/webhooks/deliveries/allowed-hosts.ts"
import { ACTION_FIELD, deriveFormToken, FORM_TOKEN_FIELD } from "../../../../src/transports/console/visit.ts"
import { toConsoleCaller } from "../../console-caller.ts"
import { layerDeliveryService } from "../../domain/webhooks/deliveries/delivery-service.ts"
import { BaseUrl, layerHttpServerOf } from "../../http-server.ts"
import { layerSessions, openSession } from "./signed-in-pages.ts"

// The pages of webhooks, for whoever a test says is signed in.

/** The service and its workers over a database of its own, with its pages; receivers on 127.0.0.1 are allowed. */
export const layerWebhookPages = layerHttpServerOf(
  layerDeliveryService,
  {},
  Layer.mergeAll(layerSessions, Passwords.layer, Clients.layer)
).pipe(
  Layer.provideMerge(layerDeliveryService),
  Layer.provide(Layer.succeed(AllowedReceivers, Result.getOrThrow(parseAllowedHosts("127.0.0.1")))),
  Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "Error"))
)

interface AccountIds {
  readonly operatorId: number
  readonly accountId: number
}

/** Who is signed in as an account, by their cookie. */
export const signInVisitor = (
  { operatorId, accountId }: AccountIds,
  role: "main" | "sub" = "main",
  accountState: Partial<Pick<TrustedAccount, "status" | "subscriptionUntil">> = {}
) => {
  return openSession({
    email: `${randomBytes(4).toString("hex")}@example.test`,
    operatorName: "Test",
    passwordAt: Date.now(),
    person: {
      status: "active",
      subscriptionUntil: null,
      ...accountState,
      caller: toConsoleCaller({ operatorId, accountId, role })
    }
  })
}

export interface WebhookPageResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
}

const requestWebhookPage = Effect.fnUntraced(function* (method: string, path: string, cookie: string, body: string) {
  const base = yield* BaseUrl
  return yield* Effect.callback<WebhookPageResponse>((resume) => {
    const type = body === "" ? {} : { "content-type": "application/x-www-form-urlencoded" }
    const headers = { ...type, cookie: `latchkey=${cookie}` }
    const request = httpRequest(`${base}${path}`, { method, headers }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part
      })
      response.on("end", () =>
        resume(Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, text }))
      )
    })
    request.on("error", (error) => resume(Effect.die(error)))
    request.end(body)
  })
})

export const getWebhookPage = (cookie: string, path: string) => requestWebhookPage("GET", path, cookie, "")

/** A form that is sent by its button; a field may have several values. */
export const sendWebhookForm = (
  cookie: string,
  path: string,
  act: string,
  fields: Readonly<Record<string, string | ReadonlyArray<string>>> = {},
  token = deriveFormToken(cookie)
) => {
  const form = new URLSearchParams({ [FORM_TOKEN_FIELD]: token, [ACTION_FIELD]: act })
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) form.append(name, value)
  }
  return requestWebhookPage("POST", path, cookie, form.toString())
}
