import { ACCESS_TEXTS } from "./texts/access-texts.ts"
import { ACCOUNT_TEXTS } from "./texts/account-texts.ts"
import { CONSENT_TEXTS } from "./texts/consent-texts.ts"
import { formatWait } from "./texts/wait-text.ts"

/** Texts of the frame and of the pages outside `host/`. */
export const TEXTS = {
  frame: {
    product: "Latchkey",
    skip: "Skip to content",
    navigation: "Console",
    more: "More",
    access: ACCESS_TEXTS.title,
    password: "Password",
    signOut: "Sign out",
    signedInAs: "Signed in as",
    errorTitlePrefixes: { "404": "Not found", other: "Not done" }
  },
  accountProblems: {
    "Account banned":
      "The API and connected applications have no access until the ban is lifted. Ask the administrator of this service. You can still see and delete tokens and connections here.",
    "Subscription expired":
      "The API and connected applications have no access until you renew the subscription. Tokens and connections work again then.",
    "Basic edition does not support this feature":
      "The API and connected applications need the pro edition. Tokens and connections work once the account has it."
  },
  requestErrors: {
    crossSiteForm: "Nothing was saved, because the form came from another website. Open the page here and try again.",
    formOfEarlierVisit:
      "Nothing was saved, because you have signed in or out in another window since this page was opened. Open the page again.",
    noCookie:
      "Nothing was saved, because your browser sent no cookie. Allow cookies for this site and open the page again.",
    openPageAgain: "Open the page again",
    formReceiveErrors: {
      400: "The form could not be read. Send it again.",
      408: "The form did not arrive in time. Send it again.",
      413: "The form is too large.",
      415: "This is not a form."
    },
    tooManyRequests: (seconds: number) =>
      `Too many requests from your network. Wait ${formatWait(seconds)} and try again.`,
    invalidCharacter: "The form or the link contains a character that cannot be saved. Remove it and try again.",
    noSuchPage: "This page does not exist.",
    noSuchForm: "This form does not exist on this page. Open the page again.",
    methodNotAllowed: "This page accepts only GET and POST.",
    internalError: "Something went wrong on our side. Try again, or ask the administrator of this service.",
    overloaded: "The service is busy. Try again in a moment."
  },
  consent: CONSENT_TEXTS,
  access: ACCESS_TEXTS,
  ...ACCOUNT_TEXTS
} as const
