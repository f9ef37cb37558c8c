import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { Places } from "../../admission/concurrency/Places.ts"
import { refusalOf } from "../../admission/gate/entitlement.ts"
import { windowOf } from "../../admission/windows/window.ts"
import { Acting, byItself } from "../../contract/acting.ts"
import { networkOf, strangerAt } from "../../contract/caller-address.ts"
import type { Answer } from "../../contract/envelope.ts"
import type { ServerError } from "../../contract/errors.ts"
import { newCookie } from "../../domain/access/sign-in/cookie.ts"
import { type Session, Sessions } from "../../domain/access/sign-in/Sessions.ts"
import {
  CONSOLE_FORM_BYTES,
  CONSOLE_PLACES,
  CONSOLE_REQUESTS_A_MINUTE,
  HOST_FORM_BYTES
} from "../../platform/limits.ts"
import { unguessable } from "../../platform/random-text.ts"
import { html } from "../docs/html.ts"
import { callerAddress } from "../http/caller-address.ts"
import { partsOfTarget } from "../http/target.ts"
import { makeCounting } from "../pages/counting.ts"
import { PRIVATE_HEADERS } from "../pages/document.ts"
import { isOwnOrigin } from "../pages/origin.ts"
import { isLooking, recorded, retryAfter } from "../pages/secret-address.ts"
import { makeWebhookPage } from "./access/webhooks/page.ts"
import { makeAccessPage } from "./access.ts"
import { makeAuthorizationPage } from "./authorization.ts"
import { formLength, receiveConsoleForm } from "./form.ts"
import { framed, SIGN_IN_PATH, seeOther } from "./frame.ts"
import { makeHostPages } from "./host/pages.ts"
import { SCRIPT, SCRIPT_PATH } from "./host/script.ts"
import { makePasswordPage } from "./password.ts"
import { makeSignInPage } from "./sign-in.ts"
import { STYLE, STYLE_PATH } from "./style.ts"
import { TEXTS } from "./texts.ts"
import {
  ACT_FIELD,
  type Answered,
  type ConsolePage,
  cookieIn,
  cookieName,
  type Form,
  formTokenOf,
  isOwnForm,
  isStorable,
  knownIn,
  knownName,
  type Visit,
  withCookie
} from "./visit.ts"

type Response = HttpServerResponse.HttpServerResponse

const asset = (text: string, contentType: string): Response =>
  HttpServerResponse.text(text, {
    contentType,
    headers: { "cache-control": "public, max-age=31536000, immutable", "x-content-type-options": "nosniff" }
  })

/** What pages load, by its address. */
const ASSETS = new Map([
  [STYLE_PATH, asset(STYLE, "text/css; charset=utf-8")],
  [SCRIPT_PATH, asset(SCRIPT, "text/javascript; charset=utf-8")]
])

/** A page of nothing but a sentence. */
const said = (visit: Visit, words: string, status: number): Response =>
  framed(visit, { title: TEXTS.frame.product, body: html`<p>${words}</p>` }, status)

/** A form that was not taken, and a way to one that will be: where it is the page's own address, a browser without a session signs in. */
const notTaken = (visit: Visit, words: string): Response =>
  framed(
    visit,
    {
      title: TEXTS.frame.product,
      body: html`<p>${words}</p>
<p><a href="${visit.target}">${TEXTS.refused.openAgain}</a></p>`
    },
    403
  )

/** The pages of the console and of consent, where the process has them. */
export const ConsolePages = Context.Reference<(request: HttpServerRequest) => Effect.Effect<Response | undefined>>(
  "latchkey/adapters/ConsolePages",
  { defaultValue: () => () => Effect.succeed(undefined) }
)

/** What the door knows of where it is. */
interface Surroundings {
  /** Whether `X-Forwarded-For` is believed. */
  readonly trustProxy?: boolean | undefined
}

export const layerConsolePages = (publicUrl: string, around: Surroundings = {}) =>
  Layer.effect(ConsolePages, makeConsole(publicUrl, around)).pipe(
    // Places of their own, given back while the service, which has places too, does what a page asks of it.
    Layer.provide(Layer.fresh(Places.layer(CONSOLE_PLACES, "console")))
  )

const MINUTE = windowOf("1m")

/** What the database need not be asked for: everything but who is signed in. */
const readVisit = (publicUrl: string, trustProxy: boolean) => {
  const [name, known] = [cookieName(publicUrl), knownName(publicUrl)]
  return (request: HttpServerRequest): { readonly visit: Visit; readonly isNew: boolean } => {
    const given = cookieIn(request, name)
    const cookie = given ?? newCookie()
    const [path, search] = partsOfTarget(request.url)
    const visit: Visit = {
      target: request.url,
      path,
      query: new URLSearchParams(search),
      cookie,
      known: knownIn(request, known),
      formToken: formTokenOf(cookie),
      formKey: unguessable(),
      session: undefined,
      address: callerAddress(request, trustProxy) ?? ""
    }
    return { visit, isNew: given === undefined }
  }
}

/** With who is signed in, and what keeps the account from working. */
const of = (visit: Visit, session: Session | undefined): Effect.Effect<Visit> =>
  session === undefined
    ? Effect.succeed(visit)
    : Effect.map(Clock.currentTimeMillis, (now) => {
        const { caller, status, subscriptionUntil } = session.person
        const refusal = refusalOf({ ...caller, status, subscriptionUntil }, { read: true, now })
        return { ...visit, session, standing: Option.getOrUndefined(refusal)?.message }
      })

/** All pages, by their paths. */
const makePages = Effect.fnUntraced(function* (publicUrl: string) {
  const made: ReadonlyArray<ConsolePage> = [
    yield* makeSignInPage(publicUrl),
    yield* makePasswordPage,
    yield* makeAuthorizationPage(publicUrl),
    yield* makeAccessPage(publicUrl),
    yield* makeWebhookPage,
    ...(yield* makeHostPages)
  ]
  return new Map(made.map((page) => [page.path, page]))
})

/** Bytes that a form may have: a long one is read of who is signed in alone, and only where one comes is that asked. */
const mostOf = (sessions: Sessions["Service"], { cookie }: Visit, request: HttpServerRequest): Effect.Effect<number> =>
  formLength(request) <= CONSOLE_FORM_BYTES
    ? Effect.succeed(CONSOLE_FORM_BYTES)
    : Effect.map(sessions.find(cookie), (session) => (session === undefined ? CONSOLE_FORM_BYTES : HOST_FORM_BYTES))

/** Who is signed in, and which form of which page it is. */
const makeConsole = Effect.fnUntraced(function* (publicUrl: string, { trustProxy = false }: Surroundings) {
  const [sessions, places, counted] = [yield* Sessions, yield* Places, yield* makeCounting]
  const pages = yield* makePages(publicUrl)
  const name = cookieName(publicUrl)
  const read = readVisit(publicUrl, trustProxy)

  /** Who asks for much waits behind itself: behind who is signed in for the same operator. */
  const inPlace = Effect.fnUntraced(function* (
    unknown: Visit,
    isNew: boolean,
    make: (visit: Visit) => Answered,
    bytes = 0
  ): Effect.fn.Return<Response, ServerError, Acting> {
    const session = isNew ? undefined : yield* sessions.find(unknown.cookie)
    const visit = yield* of(unknown, session)
    const page = Effect.suspend(() => make(visit))
    return yield* places.within(session?.person.caller.operatorId ?? strangerAt(visit.address), page, bytes)
  })

  /** Nothing is looked at of a form that is not one of ours. */
  const acted = Effect.fnUntraced(function* (
    page: ConsolePage,
    visit: Visit,
    isNew: boolean,
    request: HttpServerRequest
  ) {
    if (!isOwnOrigin(request, publicUrl)) return notTaken(visit, TEXTS.refused.notOurs)
    const received = yield* receiveConsoleForm(request, yield* mostOf(sessions, visit, request))
    if (Result.isFailure(received)) return said(visit, TEXTS.refused.notAForm[received.failure], received.failure)
    const text = received.success
    const answerForm = (signedInVisit: Visit): Answered => {
      const form = new URLSearchParams(text)
      const isOwn = isOwnForm(form, visit.formToken)
      if (!isOwn && isNew) return Effect.succeed(notTaken(visit, TEXTS.refused.noCookie))
      if (!isStorable(form)) return Effect.succeed(said(visit, TEXTS.refused.unreadable, 400))
      return isOwn ? actOf(page, signedInVisit, form) : ofAnotherVisit(page, signedInVisit, form)
    }
    return yield* inPlace(visit, isNew, answerForm, text.length)
  })

  const answer = Effect.fnUntraced(function* (request: HttpServerRequest) {
    const { visit, isNew } = read(request)
    const many = yield* counted(bucketOf(visit))
    if (Option.isSome(many)) return retryAfter(said(visit, TEXTS.refused.tooMany(many.value), 429), many.value)
    if (!isStorable(visit.query)) return said({ ...visit, query: new URLSearchParams() }, TEXTS.refused.unreadable, 400)
    const page = pages.get(visit.path)
    if (page === undefined) return said(visit, TEXTS.refused.noSuchPage, 404)
    if (request.method === "POST") return authenticating(yield* acted(page, visit, isNew, request), name)
    if (!isLooking(request)) return wrongMethod(visit)
    const response = yield* inPlace(visit, isNew, (found) => shown(page, found))
    return isNew ? withCookie(name, visit.cookie)(response) : response
  })

  return (request: HttpServerRequest): Effect.Effect<Response> => {
    const loaded = ASSETS.get(request.url)
    if (loaded !== undefined) return Effect.succeed(loaded)
    if (isWithSlash(request.url)) return Effect.succeed(withoutSlash(request.url))
    const nobody: Visit = { ...read(request).visit, query: new URLSearchParams() }
    const failing = {
      busy: (seconds: number) => retryAfter(said(nobody, TEXTS.refused.busy, 503), seconds),
      failed: said(nobody, TEXTS.refused.failed, 500)
    }
    const asItself = Effect.provideService(answer(request), Acting, byItself("console", "console"))
    return recorded(request, `console ${request.method}`, asItself, failing)
  }
})

const isWithSlash = (target: string): boolean => target.split("?", 1)[0] === `${SIGN_IN_PATH}/`

/** As people type it. */
const withoutSlash = (target: string): Response =>
  HttpServerResponse.empty({
    status: 308,
    headers: { ...PRIVATE_HEADERS, location: `${SIGN_IN_PATH}${target.slice(SIGN_IN_PATH.length + 1)}` }
  })

const bucketOf = ({ address }: Visit) => ({
  key: `{console:${networkOf(address)}}`,
  scope: "console" as const,
  window: MINUTE,
  max: CONSOLE_REQUESTS_A_MINUTE
})

const shown = (page: ConsolePage, visit: Visit): Answered => {
  if ("open" in page) return page.show(visit)
  const { session } = visit
  return session === undefined ? Effect.succeed(toSignIn(visit.target)) : page.show({ ...visit, session })
}

/** Who signed out in another window is asked to sign in again. */
const actOf = (page: ConsolePage, visit: Visit, form: Form): Answered => {
  const name = form.get(ACT_FIELD) ?? ""
  const actor = { ...byItself("console", name), accountId: visit.session?.person.caller.accountId ?? null }
  return Effect.provideService(taken(page, name, visit, form), Acting, actor)
}

const taken = (page: ConsolePage, name: string, visit: Visit, form: Form): Answered => {
  if ("open" in page) return page.acts.get(name)?.(visit, form) ?? noSuchForm(visit)
  const act = page.acts.get(name)
  if (act === undefined) return noSuchForm(visit)
  const { session } = visit
  return session === undefined ? Effect.succeed(toSignIn(visit.target)) : act({ ...visit, session }, form)
}

/**
 * A form of this browser's that was shown before it signed in anew: a page that can brings it back with what was filled in, with nothing
 * done. What another site sends has been turned away before.
 */
const ofAnotherVisit = (page: ConsolePage, visit: Visit, form: Form): Answered => {
  const { session } = visit
  return "open" in page || session === undefined || page.bringBack === undefined
    ? Effect.succeed(notTaken(visit, TEXTS.refused.otherVisit))
    : page.bringBack({ ...visit, session }, form)
}

const noSuchForm = (visit: Visit): Answered => Effect.succeed(said(visit, TEXTS.refused.noSuchForm, 400))

const wrongMethod = (visit: Visit): Response =>
  HttpServerResponse.setHeader(said(visit, TEXTS.refused.wrongMethod, 405), "allow", "GET, HEAD, POST")

const toSignIn = (next: string): Response => seeOther(`${SIGN_IN_PATH}?${new URLSearchParams({ next }).toString()}`)

/** Every 401 says how to do better (RFC 9110, 15.5.2), here: by the form, for a cookie. No browser asks for a password by itself then. */
const authenticating = (response: Response, cookie: string): Response =>
  response.status === 401
    ? HttpServerResponse.setHeader(
        response,
        "www-authenticate",
        `Cookie realm="${TEXTS.frame.product}", form-action="${SIGN_IN_PATH}", cookie-name="${cookie}"`
      )
    : response

/** What this door answers that may not be opened as it was asked for: over plain HTTP. */
export const consoleRefusal = ({ envelope }: Answer, request: HttpServerRequest): Response =>
  said(readVisit("", false)(request).visit, envelope.error_msg, envelope.error_code)
