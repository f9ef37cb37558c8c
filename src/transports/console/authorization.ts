import { DateTime, Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { Acting, byItself } from "../../contract/acting.ts"
import { mayBeGiven, type Scope } from "../../domain/access/oauth/authorization-request.ts"
import { Clients } from "../../domain/access/oauth/Clients.ts"
import { Codes } from "../../domain/access/oauth/Codes.ts"
import { answeredAt, isTrusted } from "../../domain/access/oauth/redirect.ts"
import { newCookie } from "../../domain/access/sign-in/cookie.ts"
import { type Session, Sessions } from "../../domain/access/sign-in/Sessions.ts"
import { nothing } from "../docs/html.ts"
import { ACTS, consentPage, noAccessPage, refusedPage, SCOPE_FIELD, whyNot, wrongPage } from "./consent/page.ts"
import { AUTHORIZATION_PATH, type Leading, makeReading, type Read, signInFor } from "./consent/request.ts"
import { type Framed, framed, seeOther } from "./frame.ts"
import type { Refused } from "./outcome.ts"
import { makeSudo } from "./sudo.ts"
import { TEXTS } from "./texts.ts"
import {
  type Answered,
  cookieName,
  type Form,
  type OpenPage,
  type SignedInVisit,
  type Visit,
  withCookie
} from "./visit.ts"

export { AUTHORIZATION_PATH } from "./consent/request.ts"

type AskedFor = Extract<Read, { _tag: "Asked" }>

/** Back to the application, with what came of it and whose answer it is (RFC 6749 4.1.2, RFC 9207). */
const ledBack =
  (publicUrl: string) =>
  ({ redirectUri, state }: Leading, answer: Readonly<Record<string, string>>): string =>
    answeredAt(redirectUri, { ...answer, state, iss: publicUrl })

const shownWith = (visit: Visit, page: Framed, refused: Omit<Refused, "_tag"> | undefined) => {
  const response = framed(visit, page, refused?.status ?? 200)
  const retryAfter = refused?.retryAfter
  return retryAfter === undefined ? response : HttpServerResponse.setHeader(response, "retry-after", String(retryAfter))
}

/** What is answered without asking the host. */
const makeUnasked = (publicUrl: string) => {
  const addressed = ledBack(publicUrl)
  return (visit: Visit, read: Exclude<Read, AskedFor>) => {
    if (read._tag === "Wrong") return framed(visit, wrongPage(TEXTS.consent.wrong[read.wrong]), 400)
    const { leading, refusal } = read
    const address = addressed(leading, { error: refusal.error, error_description: refusal.description })
    // Whoever registers a site for the public client could else lead hosts there from our name (RFC 9700 4.11.2).
    return isTrusted(leading.place, leading.client)
      ? seeOther(address)
      : framed(visit, refusedPage(leading, refusal.description, address), 400)
  }
}

/** Gives the code of a consent, where the host may give it. */
const makeGiving = Effect.fnUntraced(function* (publicUrl: string) {
  const [codes, clients] = [yield* Codes, yield* Clients]
  const addressed = ledBack(publicUrl)

  const issued = ({ session }: SignedInVisit, { leading, asked }: AskedFor, scope: Scope) => {
    const { caller } = session.person
    const { client, redirectUri } = leading
    const { challenge, resource } = asked
    return codes
      .issue({ caller, client, scope, redirectUri, challenge, resource })
      .pipe(Effect.provideService(Acting, { ...byItself("console", "authorize"), accountId: caller.accountId }))
  }

  return Effect.fnUntraced(function* (visit: SignedInVisit, read: AskedFor, scope: Scope) {
    const code = yield* issued(visit, read, scope)
    const { client, redirectUri } = read.leading
    if (client.isPublic) yield* clients.wasLedTo(redirectUri)
    return addressed(read.leading, { code })
  })
})

/** A visit of somebody who is signed in; undefined: of nobody. */
const signedIn = (visit: Visit): SignedInVisit | undefined => {
  const { session } = visit
  return session === undefined ? undefined : { ...visit, session }
}

const mayNot = (session: Session): Effect.Effect<Option.Option<string>> =>
  Effect.map(DateTime.now, (now) => whyNot(session, now))

/** What a consent comes to: given, or why not. */
const makeAllowing = Effect.fnUntraced(function* (publicUrl: string) {
  const giving = yield* makeGiving(publicUrl)
  const sudo = yield* makeSudo

  const asking = (visit: SignedInVisit, read: AskedFor, refused?: Omit<Refused, "_tag">) =>
    Effect.map(read.asked.scope === "writable" ? sudo.field(visit) : Effect.succeed(nothing), (password) =>
      shownWith(visit, consentPage(visit, read, { said: refused?.words, password }), refused)
    )

  const shown = Effect.fnUntraced(function* (visit: SignedInVisit, read: AskedFor) {
    const why = yield* mayNot(visit.session)
    return Option.isSome(why)
      ? framed(visit, noAccessPage(visit, read.leading, why.value), 403)
      : yield* asking(visit, read)
  })

  const allowed = Effect.fnUntraced(function* (visit: SignedInVisit, read: AskedFor, form: Form) {
    const scope = form.get(SCOPE_FIELD)
    if (Option.isSome(yield* mayNot(visit.session))) return yield* shown(visit, read)
    if (!mayBeGiven(read.asked.scope, scope)) {
      return yield* asking(visit, read, { status: 422, words: TEXTS.consent.noChoice })
    }
    const refused = scope === "writable" ? yield* sudo.check(visit, form) : Option.none()
    if (Option.isSome(refused)) return yield* asking(visit, read, refused.value)
    return yield* Effect.matchEffect(giving(visit, read, scope), {
      onFailure: ({ _tag, message }) =>
        asking(
          visit,
          read,
          _tag === "RateLimited" ? { status: 429, words: message, retryAfter: 60 } : { status: 422, words: message }
        ),
      onSuccess: (address) => Effect.succeed(seeOther(address))
    })
  })

  return { shown, allowed }
})

/** Consent: who asks, for what, which account. */
export const makeAuthorizationPage = Effect.fnUntraced(function* (publicUrl: string) {
  const reading = yield* makeReading(publicUrl)
  const sessions = yield* Sessions
  const unasked = makeUnasked(publicUrl)
  const addressed = ledBack(publicUrl)
  const { shown, allowed } = yield* makeAllowing(publicUrl)

  /** With the request as it is now, which is looked at anew each time. */
  const onRequest = (visit: Visit, then: (read: AskedFor) => Answered): Answered =>
    Effect.flatMap(reading(visit), (read) =>
      read._tag === "Asked" ? then(read) : Effect.succeed(unasked(visit, read))
    )

  /** Who is not signed in does so first, and comes back to the same request. */
  const bySomebody = (visit: Visit, then: (visit: SignedInVisit) => Answered): Answered => {
    const visitor = signedIn(visit)
    return visitor === undefined ? Effect.succeed(seeOther(signInFor(visit))) : then(visitor)
  }

  const otherAccount = (visit: Visit): Answered =>
    Effect.as(
      sessions.signOut(visit.cookie),
      withCookie(cookieName(publicUrl), newCookie())(seeOther(signInFor(visit)))
    )

  const page: OpenPage = {
    path: AUTHORIZATION_PATH,
    open: true,
    show: (visit) => onRequest(visit, (read) => bySomebody(visit, (visitor) => shown(visitor, read))),
    acts: new Map([
      [
        ACTS.allow,
        (visit, form) => onRequest(visit, (read) => bySomebody(visit, (visitor) => allowed(visitor, read, form)))
      ],
      [
        ACTS.deny,
        (visit) =>
          onRequest(visit, ({ leading }) =>
            Effect.succeed(
              seeOther(addressed(leading, { error: "access_denied", error_description: "The host refused." }))
            )
          )
      ],
      [ACTS.otherAccount, (visit) => onRequest(visit, () => otherAccount(visit))]
    ])
  }
  return page
})
