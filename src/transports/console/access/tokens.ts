import { Effect, Option } from "effect"
import { decoderOf } from "../../../contract/decode.ts"
import { errorCode } from "../../../contract/errors.ts"
import { type AccessToken, AccessTokens } from "../../../domain/access/operators/AccessTokens.ts"
import type { MadeToken } from "../../../domain/access/operators/Operators.ts"
import { NewToken, SCOPES } from "../../../domain/access/operators/rules.ts"
import { type Edge, edgeIn, edgeText, type PageOf } from "../../../domain/access/operators/token-list.ts"
import { ACCOUNT_NAME } from "../../../platform/limits.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { pageAt } from "../../http/docs-path.ts"
import { idempotencyKeyOf, statusOf } from "../calling.ts"
import { ACCESS_PATH, hiddenOnce } from "../frame.ts"
import type { Act, Outcome, Refused, Section } from "../outcome.ts"
import { makeSudo } from "../sudo.ts"
import { TEXTS } from "../texts.ts"
import { ACT_FIELD, type Form, type SignedInVisit } from "../visit.ts"
import { explained, idIn, lastUsed, sectionOf, tableOf, whenOf, withdrawing } from "./parts.ts"

const WORDS = TEXTS.access.tokens
const MAKE = "make_token"
/** Which page of the list: an edge of it. */
const PAGE_FIELD = "tokens"

const readAsked = decoderOf(NewToken)

const refusedAs = (status: Refused["status"], words: string): Refused => ({ _tag: "Refused", status, words })

/** Access tokens that people of the operator made: to see, to make, shown once, and to delete. */
export const makeTokensSection = Effect.fnUntraced(function* (publicUrl: string) {
  const tokens = yield* AccessTokens
  const sudo = yield* makeSudo

  const show: Section["show"] = Effect.fnUntraced(function* (visit, refused) {
    const page = yield* tokens.list(visit.session.person.caller, edgeIn(visit.query.get(PAGE_FIELD)))
    const fields = yield* sudo.field(visit)
    return sectionOf(
      "tokens",
      WORDS.title,
      html`${explained(WORDS, pageAt("console"))}${listOf(page, visit)}${makingForm(visit, fields, refused)}`
    )
  })

  /** Checks the password last, because a wrong password counts as a failed attempt. */
  const make = Effect.fnUntraced(
    function* (visit: SignedInVisit, form: Form) {
      const { caller } = visit.session.person
      const fields = { account_id: caller.accountId, name: form.get("name"), scope: form.get("scope") }
      const { name, scope } = yield* readAsked(fields)
      const unproven = yield* sudo.check(visit, form)
      if (Option.isSome(unproven)) return unproven.value
      const token = yield* tokens.make(caller, { name, scope }, idempotencyKeyOf(form))
      const outcome: Outcome = {
        _tag: "Shown",
        html: Option.match(token, {
          onNone: () => repeatedTokenMessage,
          onSome: (made) => madeOf(made, name, publicUrl)
        })
      }
      return outcome
    },
    Effect.catch((error) => Effect.succeed(refusedAs(statusOf(errorCode(error)), error.message)))
  )

  const remove = Effect.fnUntraced(function* (visit: SignedInVisit, form: Form) {
    const id = idIn(form)
    const removed = id !== undefined && (yield* tokens.remove(visit.session.person.caller, id))
    const outcome: Outcome = removed ? { _tag: "Done", done: "token_deleted" } : refusedAs(404, WORDS.noSuch)
    return outcome
  })

  const acts = new Map<string, Act>([
    [MAKE, make],
    ["delete_token", remove]
  ])
  const section: Section = { show, acts }
  return section
})

const LABELS = [WORDS.name, WORDS.scope, WORDS.account, WORDS.made, WORDS.lastUsed, WORDS.withdraw]

const listOf = (page: PageOf<AccessToken>, visit: SignedInVisit): Html =>
  page.rows.length === 0
    ? html`<p>${WORDS.none}</p>
`
    : html`${tableOf(
        WORDS.caption,
        LABELS,
        page.rows.map((token) => cellsOf(token, visit))
      )}${pagesOf(page)}`

const cellsOf = (token: AccessToken, visit: SignedInVisit): ReadonlyArray<Html> => [
  html`<span class="name">${token.name}</span>`,
  html`<span class="whole">${token.scope}</span>`,
  html`<span class="name">${token.account_name}</span>`,
  whenOf(token.created_at, visit),
  lastUsed(token.last_used_at, visit),
  withdrawing(visit, {
    act: "delete_token",
    field: "id",
    value: String(token.id),
    button: WORDS.withdraw,
    of: token.name,
    ends: WORDS.ends(token.name)
  })
]

const pagesOf = ({ older, newer }: PageOf<AccessToken>): Html =>
  older === undefined && newer === undefined
    ? nothing
    : html`<nav class="pages" aria-label="${WORDS.title}">${linkTo(newer, WORDS.newer)} ${linkTo(older, WORDS.older)}</nav>
`

const linkTo = (edge: Edge | undefined, words: string): Html =>
  edge === undefined ? nothing : html`<a href="${ACCESS_PATH}?${PAGE_FIELD}=${edgeText(edge)}#tokens">${words}</a>`

const checked: Html = { html: " checked" }

/** With what was filled in, where it was just not taken. */
const makingForm = (visit: SignedInVisit, sudo: Html, refused: Form | undefined): Html => {
  const given = refused?.get(ACT_FIELD) === MAKE ? refused : undefined
  const chosen = given?.get("scope") === "writable" ? "writable" : "read-only"
  const choices = SCOPES.map(
    (scope) =>
      html`<label class="choice"><input type="radio" name="scope" value="${scope}"${scope === chosen ? checked : nothing}> ${WORDS.scopes[scope]}</label>
`
  )
  return html`<h3 id="new-token">${WORDS.new}</h3>
<form method="post" action="${ACCESS_PATH}" aria-labelledby="new-token">
${hiddenOnce(visit)}<label>${WORDS.name} <input name="name" required maxlength="${ACCOUNT_NAME}" autocomplete="off" value="${given?.get("name") ?? ""}" aria-describedby="token-name-hint"></label>
<p class="soft" id="token-name-hint">${WORDS.nameHint}</p>
<fieldset><legend>${WORDS.scope}</legend>
${choices}<p class="soft">${WORDS.fixed}</p>
</fieldset>
${sudo}<button class="primary" name="${ACT_FIELD}" value="${MAKE}">${WORDS.make}</button>
</form>
`
}

const repeatedTokenMessage = html`<p class="message note" role="status">${WORDS.repeatedToken}</p>
`

/** The one time that it is seen: in the answer of the form, and in no address. */
const madeOf = (
  { token }: MadeToken,
  name: string,
  publicUrl: string
): Html => html`<section aria-labelledby="made-token">
<h2 id="made-token">${WORDS.madeTitle(name)}</h2>
<p class="message done" role="status">${WORDS.madeWords}</p>
<pre class="secret"><code>${token}</code></pre>
<p>${WORDS.madeTry}</p>
<pre><code>curl -H "Service-Access-Token: ${token}" "${publicUrl}/v3/income_items"</code></pre>
<p class="soft">${WORDS.madeAgain}</p>
<p><a href="${ACCESS_PATH}">${WORDS.madeOn}</a></p>
</section>
`
