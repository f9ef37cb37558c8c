import { type Html, html } from "../docs/html.ts"
import { FORM_KEY_FIELD, FORM_TOKEN_FIELD, type Visit } from "./visit.ts"

export const formTokenField = (formToken: string): Html =>
  html`<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${formToken}">`

export type FormKeys = Pick<Visit, "formToken" | "formKey">

/** If its action passes `idempotencyKeyOf(form)`, a form with these fields runs only once. */
export const formKeyFields = ({ formToken, formKey }: FormKeys): Html =>
  html`${formTokenField(formToken)}<input type="hidden" name="${FORM_KEY_FIELD}" value="${formKey}">`
