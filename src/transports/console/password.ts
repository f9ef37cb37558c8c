import { Effect } from "effect"
import { Passwords } from "../../domain/access/sign-in/Passwords.ts"
import { type NotSignedIn, Sessions } from "../../domain/access/sign-in/Sessions.ts"
import { PASSWORD_MIN } from "../../platform/limits.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import { retryAfter } from "../pages/secret-address.ts"
import { framed, hidden, PASSWORD_PATH, seeOther } from "./frame.ts"
import type { Refused } from "./outcome.ts"
import { refusedFor, SUDO_FIELD } from "./sudo.ts"
import { TEXTS } from "./texts.ts"
import { ACT_FIELD, type Form, type SignedInPage, type SignedInVisit } from "./visit.ts"

const field = (words: string, name: string, kind: "current-password" | "new-password"): Html => html`<label>${words}
<input type="password" name="${name}" autocomplete="${kind}" required${kind === "new-password" ? shortest : nothing}></label>
`
const shortest = html` minlength="${PASSWORD_MIN}"`

// The name of the account is there for what keeps passwords in the browser.
const formOf = ({ formToken, session }: SignedInVisit): Html => html`<form method="post" action="${PASSWORD_PATH}">
${hidden(formToken)}<input type="hidden" name="username" value="${session.email}" autocomplete="username">
${field(TEXTS.password.current, SUDO_FIELD, "current-password")}${field(TEXTS.password.another, "new_password", "new-password")}${field(TEXTS.password.again, "again", "new-password")}<button class="primary" name="${ACT_FIELD}" value="change_password">${TEXTS.password.button}</button>
</form>
`

const page = (visit: SignedInVisit, said: Html, status = 200) =>
  framed(
    visit,
    {
      title: TEXTS.password.title,
      body: html`${said}<section class="narrow">
<p>${TEXTS.password.what}</p>
<p>${TEXTS.password.rule}</p>
${formOf(visit)}</section>
`
    },
    status
  )

const refusedPage = (visit: SignedInVisit, { status, words, retryAfter: seconds }: Refused) => {
  const shown = page(
    visit,
    html`<p class="message error" role="alert">${words}</p>
`,
    status
  )
  return seconds === undefined ? shown : retryAfter(shown, seconds)
}

const broken = (words: string): Refused => ({ _tag: "Refused", status: 422, words })
const wrong = (why: NotSignedIn): Refused => refusedFor(why, TEXTS.sudo.wrong)

/** Another password, for who knows the one there is: it is asked for however lately it was given. */
export const makePasswordPage: Effect.Effect<SignedInPage, never, Sessions | Passwords> = Effect.gen(function* () {
  const [sessions, passwords] = [yield* Sessions, yield* Passwords]

  const changed = Effect.fnUntraced(function* (visit: SignedInVisit, form: Form) {
    const another = form.get("new_password") ?? ""
    if (another !== (form.get("again") ?? "")) return yield* Effect.fail(broken(TEXTS.password.different))
    const given = { password: form.get(SUDO_FIELD) ?? "", address: visit.address }
    const confirmed = yield* Effect.mapError(sessions.confirm(visit.cookie, given), wrong)
    yield* Effect.mapError(passwords.changeOwn(confirmed, { password: another, known: visit.known }), (why) => {
      switch (why._tag) {
        case "Busy":
          return wrong(why)
        case "Conflict":
          return { ...broken(TEXTS.password.meanwhile), status: 409 as const }
        default:
          return broken(why.message)
      }
    })
  })

  const page: SignedInPage = {
    path: PASSWORD_PATH,
    show: (visit) => Effect.succeed(shown(visit)),
    acts: new Map([
      [
        "change_password",
        (visit, form) =>
          Effect.match(changed(visit, form), {
            onSuccess: () => seeOther(`${PASSWORD_PATH}?done=changed`),
            onFailure: (refused) => refusedPage(visit, refused)
          })
      ]
    ])
  }
  return page
})

const shown = (visit: SignedInVisit) =>
  page(
    visit,
    visit.query.get("done") === "changed"
      ? html`<p class="message done" role="status">${TEXTS.password.done}</p>
`
      : nothing
  )
