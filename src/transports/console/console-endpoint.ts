import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { ConcurrencyLimiter } from "../../admission/concurrency/ConcurrencyLimiter.ts"
import { accessError } from "../../admission/gate/token-access.ts"
import { windowOf } from "../../admission/windows/rate-window.ts"
import { CurrentActor, systemActor } from "../../contract/actor.ts"
import { CurrentCaller } from "../../contract/caller.ts"
import { anonymousPermitHolder, networkOf } from "../../contract/caller-address.ts"
import type { ServiceResponse } from "../../contract/envelope.ts"
import type { ServerError } from "../../contract/errors.ts"
import { newSessionCookie } from "../../domain/access/sign-in/cookies.ts"
import { type Session, Sessions } from "../../domain/access/sign-in/Sessions.ts"
import {
  CONSOLE_FORM_BYTES,
  CONSOLE_PERMITS,
  CONSOLE_REQUESTS_A_MINUTE,
  HOST_FORM_BYTES
} from "../../platform/limits.ts"
import { MailEnabled } from "../../platform/mail/Mailer.ts"
import { randomAddressToken } from "../../platform/random-text.ts"
import { pageCallerIpAddress } from "../http/caller-address.ts"
import { splitTarget } from "../http/paths.ts"
import { makeRateLimiter } from "../pages/rate-limiter.ts"
import { isSameOrigin } from "../pages/request-origin.ts"
import { isReadMethod, traceAndLogResponse } from "../pages/secret-url-responses.ts"
import { makeWebhookPage } from "./access/webhooks/webhook-page.ts"
import { makeAccessPage } from "./access-page.ts"
import { makeAuthorizationPage } from "./authorization-page.ts"
import {
  messageResponse,
  methodNotAllowedResponse,
  redirectToSignIn,
  redirectWithoutSlash,
  rejectedFormResponse,
  toFailureResponses,
  tooManyRequestsResponse,
  withAuthenticateHeader
} from "./console-responses.ts"
import { TEXTS } from "./console-texts.ts"
import { readContentLength, receiveConsoleForm } from "./form-body.ts"
import { makeHostPages } from "./host/host-pages.ts"
import { SIGN_IN_PATH } from "./host/urls.ts"
import { makePasswordPage } from "./password-page.ts"
import { makeResetPage } from "./reset-page.ts"
import { CONSOLE_SCRIPTS } from "./scripts.ts"
import { makeSignInPage } from "./sign-in-page.ts"
import { STYLE, STYLE_PATH } from "./style/style.ts"
import { makeVerificationPage } from "./verification-page.ts"
import {
  ACTION_FIELD,
  type ConsolePage,
  deriveFormToken,
  hasValidFormToken,
  isStorable,
  knownBrowserCookieName,
  type PageResponse,
  readKnownBrowserCookie,
  readSessionCookie,
  type SignedInPageResponse,
  type SignedInVisit,
  type SubmittedForm,
  sessionCookieName,
  type Visit,
  withCookie
} from "./visit.ts"

type Response = HttpServerResponse.HttpServerResponse

const assetResponse = (text: string, contentType: string): Response =>
  HttpServerResponse.text(text, {
    contentType,
    headers: { "cache-control": "public, max-age=31536000, immutable", "x-content-type-options": "nosniff" }
  })

const CONSOLE_ASSETS = new Map([
  [STYLE_PATH, assetResponse(STYLE, "text/css; charset=utf-8")],
  ...CONSOLE_SCRIPTS.map(({ path, text }) => [path, assetResponse(text, "text/javascript; charset=utf-8")] as const)
])

/** Returns undefined if the process has no console. */
export const ConsoleEndpoint = Context.Reference<(request: HttpServerRequest) => Effect.Effect<Response | undefined>>(
  "latchkey/transports/console/ConsoleEndpoint",
  { defaultValue: () => () => Effect.succeed(undefined) }
)

interface ConsoleSettings {
  readonly trustProxy?: boolean | undefined
}

export const layerConsoleEndpoint = (publicUrl: string, settings: ConsoleSettings = {}) =>
  Layer.effect(ConsoleEndpoint, makeConsoleEndpoint(publicUrl, settings)).pipe(
    // Pages use permits of their own, apart from those of the API.
    Layer.provide(Layer.fresh(ConcurrencyLimiter.layer(CONSOLE_PERMITS, "console")))
  )

const MINUTE = windowOf("1m")

const makeVisitReader = (publicUrl: string, trustProxy: boolean) => {
  const [sessionName, knownBrowserName] = [sessionCookieName(publicUrl), knownBrowserCookieName(publicUrl)]
  return (request: HttpServerRequest): { readonly visit: Visit; readonly isNew: boolean } => {
    const existingCookie = readSessionCookie(request, sessionName)
    const cookie = existingCookie ?? newSessionCookie()
    const [path, search] = splitTarget(request.url)
    const visit: Visit = {
      target: request.url,
      path,
      query: new URLSearchParams(search),
      cookie,
      knownBrowserCookie: readKnownBrowserCookie(request, knownBrowserName),
      formToken: deriveFormToken(cookie),
      formKey: randomAddressToken(),
      session: undefined,
      ipAddress: pageCallerIpAddress(request, trustProxy) ?? ""
    }
    return { visit, isNew: existingCookie === undefined }
  }
}

const withSession = (visit: Visit, session: Session | undefined): Effect.Effect<Visit> =>
  session === undefined
    ? Effect.succeed(visit)
    : Effect.map(Clock.currentTimeMillis, (now) => {
        const { caller, status, subscriptionUntil } = session.person
        const refusal = accessError({ ...caller, status, subscriptionUntil }, { isRead: true, now })
        return { ...visit, session, accountProblem: Option.getOrUndefined(refusal)?.message }
      })

const makeConsolePages = Effect.fnUntraced(function* (publicUrl: string) {
  const consolePages: ReadonlyArray<ConsolePage> = [
    yield* makeSignInPage(publicUrl),
    yield* makePasswordPage,
    ...((yield* MailEnabled) ? [yield* makeResetPage, yield* makeVerificationPage] : []),
    yield* makeAuthorizationPage(publicUrl),
    yield* makeAccessPage(publicUrl),
    yield* makeWebhookPage,
    ...(yield* makeHostPages)
  ]
  return new Map(consolePages.map((page) => [page.path, page]))
})

/** Only signed-in callers may send a long form. */
const findMaxFormBytes = (
  sessions: Sessions["Service"],
  { cookie }: Visit,
  request: HttpServerRequest
): Effect.Effect<number> =>
  readContentLength(request) <= CONSOLE_FORM_BYTES
    ? Effect.succeed(CONSOLE_FORM_BYTES)
    : Effect.map(sessions.find(cookie), (session) => (session === undefined ? CONSOLE_FORM_BYTES : HOST_FORM_BYTES))

const makeConsoleEndpoint = Effect.fnUntraced(function* (publicUrl: string, { trustProxy = false }: ConsoleSettings) {
  const [sessions, limiter, checkRateLimit] = [yield* Sessions, yield* ConcurrencyLimiter, yield* makeRateLimiter]
  const pages = yield* makeConsolePages(publicUrl)
  const sessionName = sessionCookieName(publicUrl)
  const readVisit = makeVisitReader(publicUrl, trustProxy)

  /**
   * The permit comes from the share of the operator or, without a session, of the IP address. So a busy operator delays
   * only itself.
   */
  const runWithPermit = Effect.fnUntraced(function* (
    visitWithoutSession: Visit,
    isNew: boolean,
    render: (visit: Visit) => PageResponse,
    bytes = 0
  ): Effect.fn.Return<Response, ServerError, CurrentActor> {
    const session = isNew ? undefined : yield* sessions.find(visitWithoutSession.cookie)
    const visit = yield* withSession(visitWithoutSession, session)
    const response = Effect.suspend(() => render(visit))
    return yield* limiter.withPermit(
      session?.person.caller.operatorId ?? anonymousPermitHolder(visit.ipAddress),
      response,
      bytes
    )
  })

  const handleForm = Effect.fnUntraced(function* (
    page: ConsolePage,
    visit: Visit,
    isNew: boolean,
    request: HttpServerRequest
  ) {
    if (!isSameOrigin(request, publicUrl)) return rejectedFormResponse(visit, TEXTS.requestErrors.crossSiteForm)
    const received = yield* receiveConsoleForm(request, yield* findMaxFormBytes(sessions, visit, request))
    if (Result.isFailure(received))
      return messageResponse(visit, TEXTS.requestErrors.formReceiveErrors[received.failure], received.failure)
    const text = received.success
    return yield* runWithPermit(visit, isNew, makeFormHandler(page, visit, isNew, text), text.length)
  })

  const respond = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const { visit, isNew } = readVisit(request)
    const retryAfterWait = yield* checkRateLimit(toRateLimitBucket(visit))
    if (Option.isSome(retryAfterWait)) return tooManyRequestsResponse(visit, retryAfterWait.value)
    if (!isStorable(visit.query))
      return messageResponse({ ...visit, query: new URLSearchParams() }, TEXTS.requestErrors.invalidCharacter, 400)
    const page = pages.get(visit.path)
    if (page === undefined) return messageResponse(visit, TEXTS.requestErrors.noSuchPage, 404)
    if (request.method === "POST")
      return withAuthenticateHeader(yield* handleForm(page, visit, isNew, request), sessionName)
    if (!isReadMethod(request)) return methodNotAllowedResponse(visit)
    const response = yield* runWithPermit(visit, isNew, (signedInVisit) => showPage(page, signedInVisit))
    return isNew ? withCookie(sessionName, visit.cookie)(response) : response
  })

  return (request: HttpServerRequest): Effect.Effect<Response> => {
    const asset = CONSOLE_ASSETS.get(request.url)
    if (asset !== undefined) return Effect.succeed(asset)
    if (isPathWithTrailingSlash(request.url)) return Effect.succeed(redirectWithoutSlash(request.url))
    const anonymousVisit: Visit = { ...readVisit(request).visit, query: new URLSearchParams() }
    const response = Effect.provideService(respond(request), CurrentActor, systemActor("console", "console"))
    return traceAndLogResponse(request, `console ${request.method}`, response, toFailureResponses(anonymousVisit))
  }
})

/** The returned function parses the form, so it must run with a permit. */
const makeFormHandler =
  (page: ConsolePage, visit: Visit, isNew: boolean, text: string) =>
  (signedInVisit: Visit): PageResponse => {
    const form = new URLSearchParams(text)
    const hasValidToken = hasValidFormToken(form, visit.formToken)
    if (!hasValidToken && isNew) return Effect.succeed(rejectedFormResponse(visit, TEXTS.requestErrors.noCookie))
    if (!isStorable(form)) return Effect.succeed(messageResponse(visit, TEXTS.requestErrors.invalidCharacter, 400))
    return hasValidToken
      ? handleFormAsActor(page, signedInVisit, form)
      : handleFormOfEarlierVisit(page, signedInVisit, form)
  }

const isPathWithTrailingSlash = (target: string): boolean => target.split("?", 1)[0] === `${SIGN_IN_PATH}/`

const toRateLimitBucket = ({ ipAddress }: Visit) => ({
  key: `{console:${networkOf(ipAddress)}}`,
  scope: "console" as const,
  window: MINUTE,
  max: CONSOLE_REQUESTS_A_MINUTE
})

const showPage = (page: ConsolePage, visit: Visit): PageResponse => {
  if ("isPublic" in page) return page.show(visit)
  const { session } = visit
  return session === undefined
    ? Effect.succeed(redirectToSignIn(visit.target))
    : runAsCaller({ ...visit, session }, page.show)
}

const runAsCaller = (visit: SignedInVisit, respond: (visit: SignedInVisit) => SignedInPageResponse): PageResponse =>
  Effect.provideService(respond(visit), CurrentCaller, visit.session.person.caller)

const handleFormAsActor = (page: ConsolePage, visit: Visit, form: SubmittedForm): PageResponse => {
  const name = form.get(ACTION_FIELD) ?? ""
  const actor = { ...systemActor("console", name), accountId: visit.session?.person.caller.accountId ?? null }
  return Effect.provideService(runFormAction(page, name, visit, form), CurrentActor, actor)
}

const runFormAction = (page: ConsolePage, name: string, visit: Visit, form: SubmittedForm): PageResponse => {
  if ("isPublic" in page) return page.actions.get(name)?.(visit, form) ?? unknownFormResponse(visit)
  const formAction = page.actions.get(name)
  if (formAction === undefined) return unknownFormResponse(visit)
  const { session } = visit
  return session === undefined
    ? Effect.succeed(redirectToSignIn(visit.target))
    : runAsCaller({ ...visit, session }, (signedInVisit) => formAction(signedInVisit, form))
}

/** A form that was shown before the current session changes nothing. */
const handleFormOfEarlierVisit = (page: ConsolePage, visit: Visit, form: SubmittedForm): PageResponse => {
  const { session } = visit
  const restoreForm = "isPublic" in page ? undefined : page.restoreForm
  return session === undefined || restoreForm === undefined
    ? Effect.succeed(rejectedFormResponse(visit, TEXTS.requestErrors.formOfEarlierVisit))
    : runAsCaller({ ...visit, session }, (signedInVisit) => restoreForm(signedInVisit, form))
}

const unknownFormResponse = (visit: Visit): PageResponse =>
  Effect.succeed(messageResponse(visit, TEXTS.requestErrors.noSuchForm, 400))

export const toConsoleErrorResponse = ({ envelope }: ServiceResponse, request: HttpServerRequest): Response =>
  messageResponse(makeVisitReader("", false)(request).visit, envelope.error_msg, envelope.error_code)
