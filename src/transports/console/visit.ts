import { createHmac, timingSafeEqual } from "node:crypto"
import type { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { type HttpServerResponse, setCookieUnsafe } from "effect/http/HttpServerResponse"
import type { CurrentActor } from "../../contract/actor.ts"
import type { CurrentCaller } from "../../contract/caller.ts"
import { KNOWN_BROWSER_COOKIE_PATTERN, SESSION_COOKIE_PATTERN } from "../../domain/access/sign-in/cookies.ts"
import type { Session } from "../../domain/access/sign-in/Sessions.ts"

// One request of a browser to a page of the console, and what tells our own forms from others'.

/** What a form says, by the names of its fields; a name given several times has several values. */
export type SubmittedForm = URLSearchParams

export interface Visit {
  /** Path and query, as they were asked for. */
  readonly target: string
  readonly path: string
  readonly query: URLSearchParams
  /** The value of the browser's cookie; who is not signed in has one too, so that forms there are told apart. */
  readonly cookie: string
  /** What tells the browser that somebody has signed in there before. */
  readonly knownBrowserCookie?: string | undefined
  /** For the hidden field of every form: {@link FORM_TOKEN_FIELD}. */
  readonly formToken: string
  /** For the hidden field {@link FORM_KEY_FIELD} of forms that must be done once: new at each look at a page. */
  readonly formKey: string
  readonly session: Session | undefined
  /** What the API would say of why nothing works (its error_msg); none: nothing keeps the account from working. */
  readonly accountProblem?: string | undefined
  /** Where the browser is, as far as it is known. */
  readonly ipAddress: string
}

/** A visit of somebody who is signed in. */
export interface SignedInVisit extends Visit {
  readonly session: Session
}

export type PageResponse = Effect.Effect<HttpServerResponse, never, CurrentActor>

/** A response to a signed-in person. The console endpoint provides that person as `CurrentCaller`, which the read models require. */
export type SignedInPageResponse = Effect.Effect<HttpServerResponse, never, CurrentActor | CurrentCaller>

/** A page that only signed-in people see. `actions`: its forms by the value of their button `act`. */
export interface SignedInPage {
  readonly path: string
  readonly show: (visit: SignedInVisit) => SignedInPageResponse
  readonly actions: ReadonlyMap<string, (visit: SignedInVisit, form: SubmittedForm) => SignedInPageResponse>
  /** Shows a form again that was filled in before the person signed in anew, with its values. Changes nothing. */
  readonly restoreForm?: (visit: SignedInVisit, form: SubmittedForm) => SignedInPageResponse
}

/** A page that is there for everybody. */
export interface PublicPage {
  readonly path: string
  readonly isPublic: true
  readonly show: (visit: Visit) => PageResponse
  readonly actions: ReadonlyMap<string, (visit: Visit, form: SubmittedForm) => PageResponse>
}

export type ConsolePage = SignedInPage | PublicPage

/** Whether the database could have all of it: it cannot store U+0000, nor half a character. */
export const isStorable = (params: URLSearchParams): boolean =>
  Array.from(params).every((pair) => pair.every((text) => text.isWellFormed() && !text.includes("\u0000")))

/** Hidden field of every form. */
export const FORM_TOKEN_FIELD = "form_token"
/** What tells one look at a page from the next. */
export const FORM_KEY_FIELD = "form_key"
/** Which of a page's forms it is. */
export const ACTION_FIELD = "act"

/** Derived from the cookie, which no other site can read: nothing is kept for it. */
export const deriveFormToken = (cookie: string): string =>
  createHmac("sha256", cookie).update("form").digest("base64url")

export const hasValidFormToken = (form: SubmittedForm, formToken: string): boolean => {
  const submittedToken = Buffer.from(form.get(FORM_TOKEN_FIELD) ?? "")
  const expected = Buffer.from(formToken)
  return submittedToken.length === expected.length && timingSafeEqual(submittedToken, expected)
}

const isHttps = (publicUrl: string): boolean => publicUrl.startsWith("https:")

/** `__Host-` binds it to this host and to HTTPS (RFC 6265bis); a browser takes that prefix over HTTPS alone. */
export const sessionCookieName = (publicUrl: string): string => (isHttps(publicUrl) ? "__Host-latchkey" : "latchkey")
export const knownBrowserCookieName = (publicUrl: string): string => `${sessionCookieName(publicUrl)}_known`

/** Values of a cookie that one name has; a browser may send several of other paths, of which the first is the nearest. */
const readCookie = ({ headers }: HttpServerRequest, name: string): string =>
  (headers["cookie"] ?? "")
    .split(";")
    .map((each) => each.trim())
    .find((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? ""

const keepIfMatching = (text: string, pattern: RegExp): string | undefined => (pattern.test(text) ? text : undefined)

export const readSessionCookie = (request: HttpServerRequest, name: string): string | undefined =>
  keepIfMatching(readCookie(request, name), SESSION_COOKIE_PATTERN)

export const readKnownBrowserCookie = (request: HttpServerRequest, name: string): string | undefined =>
  keepIfMatching(readCookie(request, name), KNOWN_BROWSER_COOKIE_PATTERN)

/** Until the browser is closed, unless it is said how long; how long it is good is for the service to say. */
export const withCookie =
  (name: string, value: string, maxAgeMs?: number) =>
  (response: HttpServerResponse): HttpServerResponse =>
    setCookieUnsafe(response, name, value, {
      path: "/",
      httpOnly: true,
      secure: true,
      sameSite: "lax",
      ...(maxAgeMs === undefined ? {} : { maxAge: maxAgeMs })
    })

/** The id that a text of a form or an address says; undefined: it says none, so nobody has it. */
export const parseRecordId = (text: string | null | undefined): number | undefined =>
  /^[1-9]\d{0,14}$/.test(text ?? "") ? Number(text) : undefined
