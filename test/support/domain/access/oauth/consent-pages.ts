import { Context, Effect, Layer, Option, References } from "effect"
import { HttpMiddleware, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Actor, CurrentActor } from "../../../../../src/contract/actor.ts"
import type { TrustedAccount } from "../../../../../src/contract/caller.ts"
import { RateLimited, ValidationFailed } from "../../../../../src/contract/errors.ts"
import { AuthorizationCodes, type Consent } from "../../../../../src/domain/access/oauth/AuthorizationCodes.ts"
import { Clients, type OAuthClient, PUBLIC_CLIENT_ID } from "../../../../../src/domain/access/oauth/Clients.ts"
import { isRegisteredUri } from "../../../../../src/domain/access/oauth/redirect-uri.ts"
import { newSessionCookie } from "../../../../../src/domain/access/sign-in/cookies.ts"
import { MailedLinks } from "../../../../../src/domain/access/sign-in/mailed-links/MailedLinks.ts"
import { Passwords } from "../../../../../src/domain/access/sign-in/Passwords.ts"
import { type Session, Sessions } from "../../../../../src/domain/access/sign-in/Sessions.ts"
import { SubAccounts } from "../../../../../src/domain/access/sign-in/SubAccounts.ts"
import { NotificationStore } from "../../../../../src/domain/notifications/store.ts"
import { OutboundHttp } from "../../../../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { PublicUrl } from "../../../../../src/platform/installation.ts"
import { ConsoleEndpoint, layerConsoleEndpoint } from "../../../../../src/transports/console/console-endpoint.ts"
import { layerConsoleQueries } from "../../../../../src/transports/console/queries/layer.ts"
import {
  ACTION_FIELD,
  deriveFormToken,
  FORM_TOKEN_FIELD,
  sessionCookieName
} from "../../../../../src/transports/console/visit.ts"
import { listen } from "../../../../../src/transports/http-server/listen.ts"
import { toConsoleCaller } from "../../../console-caller.ts"
import { layerServiceWithFakes } from "../../../harness.ts"
import { BaseUrl } from "../../../http-server.ts"
import { toPasswordConfirmation } from "../sign-in/sign-in-accounts.ts"

// Consent by itself: real pages and rules, over clients, sessions and codes that a test can look into.

export const PUBLIC_URL = "https://latchkey.example.test"

export const PARTNER_REDIRECT_URL = "https://partner.example.test/cb?tenant=7"
export const PARTNER_CLIENT: OAuthClient = {
  id: "lkapp_partner",
  name: "Partner & Sons",
  redirectUris: [PARTNER_REDIRECT_URL],
  isPublic: false
}
const TWO_REDIRECTS_CLIENT: OAuthClient = {
  id: "lkapp_two",
  name: "Two ways",
  redirectUris: ["https://two.example.test/a", "https://two.example.test/b"],
  isPublic: false
}
const PUBLIC_CLIENT: OAuthClient = { id: PUBLIC_CLIENT_ID, name: "MCP client", redirectUris: [], isPublic: true }

/** Where the public client's users may be led back to. */
export const LOOPBACK_REDIRECT_URL = "http://127.0.0.1:33418/cb"
export const SITE_REDIRECT_URL = "https://app.example.test/oauth/callback"
export const APP_REDIRECT_URL = "cursor://anysphere.cursor-mcp/oauth/callback"
const REGISTERED_REDIRECT_URLS = ["http://127.0.0.1/cb", "http://[::1]/cb", SITE_REDIRECT_URL, APP_REDIRECT_URL]

/** S256 of the verifier in RFC 7636, appendix B. */
export const CODE_CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

/** An account without room for another connection is told so. */
const FULL_ACCOUNT_MESSAGE = "Disconnect an application first."
export const FULL_ACCOUNT_ID = 13
/** One that gives access too often too. */
const RATE_LIMITED_MESSAGE = "Wait a minute."
export const RATE_LIMITED_ACCOUNT_ID = 14

interface ConsentRecords {
  readonly issuedCodes: Array<{ readonly code: string; readonly consent: Consent; readonly actor: Actor }>
  readonly recordedRedirects: Array<string>
  readonly sessions: Map<string, Session>
}

/** What consent did, and who is signed in. */
export class ConsentState extends Context.Service<ConsentState, ConsentRecords>()("latchkey/test/oauth/Ground") {
  static readonly layer = Layer.sync(
    ConsentState,
    (): ConsentRecords => ({ issuedCodes: [], recordedRedirects: [], sessions: new Map() })
  )
}

const layerConsentSessions = Layer.unwrap(
  Effect.map(ConsentState, ({ sessions }) =>
    Layer.mock(Sessions, {
      find: (cookie) => Effect.sync(() => sessions.get(cookie)),
      confirmPassword: (cookie, { password }) =>
        password === "right" ? Effect.succeed(toPasswordConfirmation(cookie)) : Effect.fail({ _tag: "WrongPassword" }),
      signOut: (cookie) =>
        Effect.sync(() => {
          sessions.delete(cookie)
        })
    })
  )
)

const layerClients = Layer.unwrap(
  Effect.map(ConsentState, ({ recordedRedirects: ledTo }) =>
    Layer.mock(Clients, {
      find: (id) =>
        Effect.succeed([PARTNER_CLIENT, TWO_REDIRECTS_CLIENT, PUBLIC_CLIENT].find((each) => each.id === id)),
      mayRedirectTo: ({ isPublic, redirectUris }, uri) =>
        Effect.succeed(
          isRegisteredUri(isPublic ? REGISTERED_REDIRECT_URLS : redirectUris, uri, isPublic ? "public" : "partner")
        ),
      recordRedirect: (uri) =>
        Effect.sync(() => {
          ledTo.push(uri)
        })
    })
  )
)

const layerAuthorizationCodes = Layer.unwrap(
  Effect.map(ConsentState, ({ issuedCodes: issued }) =>
    Layer.mock(AuthorizationCodes, {
      issue: Effect.fnUntraced(function* (consent: Consent) {
        if (consent.caller.accountId === FULL_ACCOUNT_ID)
          return yield* new ValidationFailed({ message: FULL_ACCOUNT_MESSAGE })
        if (consent.caller.accountId === RATE_LIMITED_ACCOUNT_ID)
          return yield* new RateLimited({ message: RATE_LIMITED_MESSAGE, headers: { "retry-after": "60" } })
        const code = `lkcode_${issued.length}`
        issued.push({ code, consent, actor: yield* CurrentActor })
        return code
      })
    })
  )
)

/** The pages over it, as they are at `publicUrl`. */
export const layerConsentPages = (publicUrl = PUBLIC_URL) =>
  layerConsoleEndpoint(publicUrl).pipe(
    Layer.provide([layerConsentSessions, layerClients]),
    // What other pages work with.
    Layer.provide([
      Layer.mock(Passwords, {}),
      Layer.mock(SubAccounts, {}),
      Layer.mock(MailedLinks, {}),
      Layer.mock(NotificationStore, {}),
      Layer.provide(layerConsoleQueries, Layer.mock(OutboundHttp, {}))
    ]),
    Layer.provideMerge(layerServiceWithFakes(Layer.merge(layerClients, layerAuthorizationCodes))),
    Layer.provide(Layer.succeed(PublicUrl, publicUrl)),
    Layer.provideMerge(ConsentState.layer),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error"))
  )

/** The same behind a socket, for browsers; at the address of {@link BaseUrl}. */
export const layerServedConsentPages = Layer.effect(
  BaseUrl,
  Effect.gen(function* () {
    const pages = yield* ConsoleEndpoint
    const app = {
      answerApi: () => undefined,
      reject: () => Effect.die(new Error("no request of these tests is refused by the server")),
      pages: Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.map(pages(request), (response) => response ?? HttpServerResponse.empty({ status: 404 }))
      )
    }
    return HttpServer.formatAddress(yield* listen(app, { port: 0, host: "127.0.0.1", drainSeconds: 0, silence: 0 }))
  })
).pipe(
  Layer.provide(Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)),
  Layer.provideMerge(layerConsentPages("http://127.0.0.1"))
)

interface SignInOptions {
  readonly role?: "main" | "sub"
  readonly status?: TrustedAccount["status"]
  readonly subscriptionUntil?: TrustedAccount["subscriptionUntil"]
  readonly edition?: "pro" | "basic"
  readonly accountId?: number
  readonly email?: string
  readonly operatorName?: string
  readonly passwordAt?: number
}

/** Somebody signs in; answers the cookie's value. */
export const signIn = Effect.fnUntraced(function* ({
  role = "main",
  status = "active",
  subscriptionUntil = null,
  edition = "pro",
  accountId = 7,
  email = "host@example.test",
  operatorName = "Harbour Stays",
  passwordAt = Date.now()
}: SignInOptions = {}) {
  const { sessions } = yield* ConsentState
  const cookie = newSessionCookie()
  const caller = toConsoleCaller({ operatorId: 5, accountId, role, edition })
  sessions.set(cookie, { person: { caller, status, subscriptionUntil }, email, operatorName, passwordAt })
  return cookie
})

export interface VisitedPage {
  readonly status: number
  readonly location: string
  readonly headers: Headers
  readonly text: string
}

interface VisitOptions {
  readonly cookie?: string
  /** A form, sent with its token unless that is said otherwise. */
  readonly form?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
}

/** Each request comes from an address of its own: nobody is counted here. */
let addressCount = 0

const encodeFormBody = (cookie: string, form: Readonly<Record<string, string>> | undefined) =>
  form === undefined ? null : new URLSearchParams({ [FORM_TOKEN_FIELD]: deriveFormToken(cookie), ...form }).toString()

/** What the browser with that cookie is answered. */
export const visitPage = Effect.fnUntraced(function* (
  target: string,
  { cookie = newSessionCookie(), form, headers = {}, method = form === undefined ? "GET" : "POST" }: VisitOptions = {}
) {
  const pages = yield* ConsoleEndpoint
  const body = encodeFormBody(cookie, form)
  const contentTypeHeaders = body === null ? {} : { "content-type": "application/x-www-form-urlencoded" }
  const requestHeaders = { cookie: `${sessionCookieName(PUBLIC_URL)}=${cookie}`, host: new URL(PUBLIC_URL).host }
  const webRequest = new Request(`${PUBLIC_URL}${target}`, {
    method,
    body,
    headers: { ...contentTypeHeaders, ...requestHeaders, ...headers }
  })
  addressCount += 1
  const remoteAddress = Option.some(`10.${addressCount >> 16}.${(addressCount >> 8) & 255}.${addressCount & 255}`)
  const response = yield* pages(HttpServerRequest.fromWeb(webRequest).modify({ remoteAddress }))
  if (response === undefined) return yield* Effect.die(new Error(`nothing is at ${target}`))
  const webResponse = HttpServerResponse.toWeb(response)
  const text = yield* Effect.promise(() => webResponse.text())
  const page: VisitedPage = {
    status: webResponse.status,
    location: webResponse.headers.get("location") ?? "",
    headers: webResponse.headers,
    text
  }
  return page
})

type RequestParameters = Readonly<Record<string, string | undefined>>

/** A partner's request, and the public client's, with some parameters otherwise; undefined leaves one out. */
const toAuthorizationUrl = (parameters: RequestParameters): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value)
  return `/authorization?${query.toString()}`
}

export const partnerRequestUrl = (overrides: RequestParameters = {}): string =>
  toAuthorizationUrl({
    client_id: PARTNER_CLIENT.id,
    redirect_uri: PARTNER_REDIRECT_URL,
    state: "s t/a+t%e",
    ...overrides
  })

export const publicRequestUrl = (overrides: RequestParameters = {}): string =>
  toAuthorizationUrl({
    client_id: PUBLIC_CLIENT_ID,
    redirect_uri: LOOPBACK_REDIRECT_URL,
    response_type: "code",
    scope: "read-only writable",
    state: "xyz",
    code_challenge: CODE_CHALLENGE,
    code_challenge_method: "S256",
    ...overrides
  })

export const makeAllowForm = (scope: string) => ({ [ACTION_FIELD]: "allow", scope })
export const denyForm = { [ACTION_FIELD]: "deny" }

/** What an address was answered with, by name. */
export const readRedirectParams = (location: string): Readonly<Record<string, string>> =>
  Object.fromEntries(new URL(location).searchParams)
