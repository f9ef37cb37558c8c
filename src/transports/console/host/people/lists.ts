import type { Account } from "../../../../domain/access/sign-in/sub-account-store.ts"
import { ACCOUNT_NAME, ACCOUNTS, EMAIL, STAFF_ROWS } from "../../../../platform/limits.ts"
import { type Html, html } from "../../../docs/html.ts"
import type { ListedStaff } from "../../queries/Staff.ts"
import type { SignedInVisit } from "../../visit.ts"
import { PEOPLE_PATH, tasksAddress } from "../addresses.ts"
import { changeAddress } from "../choosing.ts"
import { behind, filling, formOf, input } from "../fields.ts"
import { actOf, type NotTaken } from "../page.ts"
import { badge, type Column, link, offsetIn, pages, section, table, timeOf } from "../parts.ts"
import { newPassword, sudoPart } from "./passwords.ts"

// Who there is: accounts and staff.

/** What a sub-account sees in the place of the accounts. */
export const notForSubAccounts: Html = section(
  "Sub-accounts",
  html`<p>Only the main account may see and manage accounts. Sign in with it, or ask whose it is.</p>
`,
  "accounts"
)

const accountColumns = (visit: SignedInVisit): ReadonlyArray<Column<Account>> => [
  { label: "Name", cell: ({ name }) => html`<span class="name">${name}</span>` },
  { label: "E-mail address", cell: ({ email }) => html`<span class="name">${email}</span>` },
  {
    label: "Stands",
    cell: ({ role, disabled_at }) => {
      if (role === "main") return "main account"
      return disabled_at === null
        ? badge("works", "good")
        : html`${badge("disabled", "wait")} <span class="soft">since ${timeOf(disabled_at, visit)}</span>`
    }
  },
  {
    label: "Last signed in",
    cell: ({ signed_in_at }) => (signed_in_at === null ? "not lately" : timeOf(signed_in_at, visit))
  },
  {
    label: "Change",
    cell: ({ role, id, name }) =>
      role === "main"
        ? ""
        : html`<a href="${changeAddress(PEOPLE_PATH, "account", id)}" aria-label="Change ${name}">Change</a>`
  }
]

const MAKE = "make_account"

export const accountsPart = (
  visit: SignedInVisit,
  accounts: ReadonlyArray<Account>,
  sudo: Html,
  notTaken?: NotTaken
): Html =>
  section(
    "Sub-accounts",
    html`<p class="soft">Each signs in here with its own e-mail address and may do all that you may, but for accounts and what the OpenAPI settings keep to the main account.</p>
${table({ empty: "There is no account." }, accountColumns(visit), accounts)}${
  accounts.length > ACCOUNTS
    ? html`<p>You have all ${ACCOUNTS} sub-accounts that there may be, disabled ones among them.</p>
`
    : behind("Make a sub-account", making(visit, sudo, notTaken), notTaken !== undefined && actOf(notTaken) === MAKE)
}`,
    "accounts"
  )

const making = (visit: SignedInVisit, sudo: Html, notTaken?: NotTaken): Html => {
  const fill = filling(notTaken, MAKE)
  return formOf(visit, {
    act: MAKE,
    button: "Make the sub-account",
    fields: html`${input(fill, { name: "email", label: "E-mail address, to sign in with", type: "email", required: true, maxlength: EMAIL })}${input(
      fill,
      { name: "name", label: "Name", hint: "Without one it is called as its e-mail address.", maxlength: ACCOUNT_NAME }
    )}${newPassword("Its password; tell it to whom the account is for")}${sudoPart(sudo)}`
  })
}

const worksIn = ({ titles, properties }: ListedStaff): string => {
  if (properties === 0) return "every property"
  const more = properties - titles.length
  return more === 0 ? titles.join(", ") : `${titles.join(", ")} and ${more} more`
}

const staffColumns: ReadonlyArray<Column<ListedStaff>> = [
  { label: "Name", cell: ({ id, name }) => html`<a class="name" href="${tasksAddress({ staff: id })}">${name}</a>` },
  { label: "Mobile", cell: ({ mobile }) => html`<span class="whole">${mobile}</span>` },
  { label: "Works in", cell: worksIn },
  { label: "Stands", cell: ({ is_active }) => (is_active ? badge("active", "good") : badge("switched off", "wait")) },
  {
    label: "Change",
    cell: ({ id, name }) =>
      html`<a href="${changeAddress(PEOPLE_PATH, "staff", id)}" aria-label="Change ${name}">Change</a>`
  }
]

export interface ShownStaff {
  readonly total: number
  readonly rows: ReadonlyArray<ListedStaff>
}

export const staffPart = (visit: SignedInVisit, { total, rows }: ShownStaff): Html =>
  section(
    "Staff",
    html`<p class="soft">Who cleans, repairs and meets guests. They are given tasks and do not sign in. A name leads to the tasks.</p>
${table({ empty: "There is nobody yet." }, staffColumns, rows)}${pages(visit, { offset: offsetIn(visit, "staff"), limit: STAFF_ROWS, total, name: "staff" })}<p>${link(changeAddress(PEOPLE_PATH, "staff", "new"), "Add somebody")}</p>
`,
    "staff"
  )
