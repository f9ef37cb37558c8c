import { DateTime, Effect, Option, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { isGrantableScope, type RequestedScope } from "../../domain/access/oauth/authorization-request.ts"
import { connect_application } from "../../domain/access/oauth/connection-contract.ts"
import { isTrustedTarget, toResponseUrl } from "../../domain/access/oauth/redirect-uri.ts"
import { newSessionCookie } from "../../domain/access/sign-in/cookies.ts"
import { type Session, Sessions } from "../../domain/access/sign-in/Sessions.ts"
import { Service } from "../../service/service.ts"
import { nothing } from "../docs/html.ts"
import type { ActionError } from "./action-outcome.ts"
import {
  accountProblemOf,
  CONSENT_ACTIONS,
  consentPage,
  invalidRequestPage,
  noAccessPage,
  rejectedRequestPage,
  SCOPE_FIELD
} from "./consent/consent-page.ts"
import {
  AUTHORIZATION_PATH,
  type AuthorizationClient,
  type ConsentRequest,
  makeConsentRequestReader,
  signInUrl
} from "./consent/consent-request.ts"
import { TEXTS } from "./console-texts.ts"
import { callOperation } from "./operation-call.ts"
import { type PageFrame, redirectSeeOther, renderConsolePage } from "./page-frame.ts"
import { makeSudo } from "./sudo.ts"
import {
  type PageResponse,
  type PublicPage,
  type SignedInVisit,
  type SubmittedForm,
  sessionCookieName,
  type Visit,
  withCookie
} from "./visit.ts"

export { AUTHORIZATION_PATH } from "./consent/consent-request.ts"

type ValidConsentRequest = Extract<ConsentRequest, { _tag: "Asked" }>

/** The redirect URL also contains the issuer (RFC 9207). */
const makeRedirectUrl =
  (publicUrl: string) =>
  ({ redirectUri, state }: AuthorizationClient, result: Readonly<Record<string, string>>): string =>
    toResponseUrl(redirectUri, { ...result, state, iss: publicUrl })

const renderWithError = (visit: Visit, page: PageFrame, error: Omit<ActionError, "_tag"> | undefined) => {
  const response = renderConsolePage(visit, page, error?.status ?? 200)
  const retryAfter = error?.retryAfter
  return retryAfter === undefined ? response : HttpServerResponse.setHeader(response, "retry-after", String(retryAfter))
}

const makeInvalidRequestHandler = (publicUrl: string) => {
  const redirectUrl = makeRedirectUrl(publicUrl)
  return (visit: Visit, consentRequest: Exclude<ConsentRequest, ValidConsentRequest>) => {
    if (consentRequest._tag === "Wrong")
      return renderConsolePage(visit, invalidRequestPage(TEXTS.consent.requestProblems[consentRequest.problem]), 400)
    const { authorizationClient, refusal } = consentRequest
    const redirectLocation = redirectUrl(authorizationClient, {
      error: refusal.error,
      error_description: refusal.description
    })
    // Redirects only to a trusted target. Otherwise anyone could register a site and send hosts there from our domain
    // (RFC 9700 section 4.11.2).
    return isTrustedTarget(authorizationClient.redirectTarget, authorizationClient.client)
      ? redirectSeeOther(redirectLocation)
      : renderConsolePage(visit, rejectedRequestPage(authorizationClient, refusal.description, redirectLocation), 400)
  }
}

const makeConsentGranter = Effect.fnUntraced(function* (publicUrl: string) {
  const service = yield* Service
  const redirectUrl = makeRedirectUrl(publicUrl)
  return Effect.fnUntraced(function* (
    visit: SignedInVisit,
    { authorizationClient, authorizationRequest }: ValidConsentRequest,
    scope: RequestedScope
  ) {
    const { challenge, resource } = authorizationRequest
    const outcome = yield* callOperation(service, visit, connect_application._tag, {
      client_id: authorizationClient.client.id,
      redirect_uri: authorizationClient.redirectUri,
      scope,
      ...(challenge === null ? {} : { code_challenge: challenge }),
      ...(resource === null ? {} : { resource })
    })
    if (outcome._tag !== "Ok") return yield* Effect.fail(outcome)
    const { code = "" } = decodeConnection(outcome.data)
    return redirectUrl(authorizationClient, { code })
  })
})

const decodeConnection = Schema.decodeUnknownSync(Schema.toCodecJson(connect_application.successSchema))

const toSignedInVisit = (visit: Visit): SignedInVisit | undefined => {
  const { session } = visit
  return session === undefined ? undefined : { ...visit, session }
}

const findAccountProblem = (session: Session): Effect.Effect<Option.Option<string>> =>
  Effect.map(DateTime.now, (now) => accountProblemOf(session, now))

const makeConsentHandlers = Effect.fnUntraced(function* (publicUrl: string) {
  const grantConsent = yield* makeConsentGranter(publicUrl)
  const sudo = yield* makeSudo

  const renderConsentForm = (
    visit: SignedInVisit,
    consentRequest: ValidConsentRequest,
    error?: Omit<ActionError, "_tag">
  ) =>
    Effect.map(
      consentRequest.authorizationRequest.scope === "writable"
        ? sudo.renderPasswordField(visit)
        : Effect.succeed(nothing),
      (passwordField) =>
        renderWithError(visit, consentPage(visit, consentRequest, { errorText: error?.message, passwordField }), error)
    )

  const renderConsent = Effect.fnUntraced(function* (visit: SignedInVisit, consentRequest: ValidConsentRequest) {
    const accountProblem = yield* findAccountProblem(visit.session)
    return Option.isSome(accountProblem)
      ? renderConsolePage(visit, noAccessPage(visit, consentRequest.authorizationClient, accountProblem.value), 403)
      : yield* renderConsentForm(visit, consentRequest)
  })

  const allowConsent = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    consentRequest: ValidConsentRequest,
    form: SubmittedForm
  ) {
    const scope = form.get(SCOPE_FIELD)
    if (Option.isSome(yield* findAccountProblem(visit.session))) return yield* renderConsent(visit, consentRequest)
    if (!isGrantableScope(consentRequest.authorizationRequest.scope, scope)) {
      return yield* renderConsentForm(visit, consentRequest, { status: 422, message: TEXTS.consent.missingScope })
    }
    const passwordError = scope === "writable" ? yield* sudo.checkPassword(visit, form) : Option.none()
    if (Option.isSome(passwordError)) return yield* renderConsentForm(visit, consentRequest, passwordError.value)
    return yield* Effect.matchEffect(grantConsent(visit, consentRequest, scope), {
      onFailure: (error) => renderConsentForm(visit, consentRequest, error),
      onSuccess: (redirectLocation) => Effect.succeed(redirectSeeOther(redirectLocation))
    })
  })

  return { renderConsent, allowConsent }
})

export const makeAuthorizationPage = Effect.fnUntraced(function* (publicUrl: string) {
  const readConsentRequest = yield* makeConsentRequestReader(publicUrl)
  const sessions = yield* Sessions
  const respondToInvalidRequest = makeInvalidRequestHandler(publicUrl)
  const redirectUrl = makeRedirectUrl(publicUrl)
  const { renderConsent, allowConsent } = yield* makeConsentHandlers(publicUrl)

  /** Validates the authorization request again for every page view and form. */
  const withValidRequest = (
    visit: Visit,
    respond: (consentRequest: ValidConsentRequest) => PageResponse
  ): PageResponse =>
    Effect.flatMap(readConsentRequest(visit), (consentRequest) =>
      consentRequest._tag === "Asked"
        ? respond(consentRequest)
        : Effect.succeed(respondToInvalidRequest(visit, consentRequest))
    )

  const withSignedInVisit = (visit: Visit, respond: (visit: SignedInVisit) => PageResponse): PageResponse => {
    const signedInVisit = toSignedInVisit(visit)
    return signedInVisit === undefined ? Effect.succeed(redirectSeeOther(signInUrl(visit))) : respond(signedInVisit)
  }

  const switchAccount = (visit: Visit): PageResponse =>
    Effect.as(
      sessions.signOut(visit.cookie),
      withCookie(sessionCookieName(publicUrl), newSessionCookie())(redirectSeeOther(signInUrl(visit)))
    )

  const page: PublicPage = {
    path: AUTHORIZATION_PATH,
    isPublic: true,
    show: (visit) =>
      withValidRequest(visit, (consentRequest) =>
        withSignedInVisit(visit, (signedInVisit) => renderConsent(signedInVisit, consentRequest))
      ),
    actions: new Map([
      [
        CONSENT_ACTIONS.allow,
        (visit, form) =>
          withValidRequest(visit, (consentRequest) =>
            withSignedInVisit(visit, (signedInVisit) => allowConsent(signedInVisit, consentRequest, form))
          )
      ],
      [
        CONSENT_ACTIONS.deny,
        (visit) =>
          withValidRequest(visit, ({ authorizationClient }) =>
            Effect.succeed(
              redirectSeeOther(
                redirectUrl(authorizationClient, { error: "access_denied", error_description: "The host refused." })
              )
            )
          )
      ],
      [CONSENT_ACTIONS.otherAccount, (visit) => withValidRequest(visit, () => switchAccount(visit))]
    ])
  }
  return page
})
