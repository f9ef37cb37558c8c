export const CONSENT_TEXTS = {
  title: "Allow access?",
  requestsAccess: "asks for access to your data.",
  app: "Application",
  appHere: "An app on this computer",
  appOfSite: "The site",
  appOfScheme: "An app on this device",
  redirectTarget: "Redirects to",
  account: "Account",
  subAccount: "sub-account: the application gets only its permissions",
  unverifiedClientWarning:
    "We have not checked this application. Allow access only if you have just started to connect it yourself.",
  scopeLegend: "Permissions",
  readOnly: "Read-only",
  readOnlyMore: "Sees reservations, guests, messages, prices, income and expenses. Changes nothing.",
  writable: "Read and write",
  writableMore: "Can also book, cancel, message guests, change prices, and record income and expenses.",
  revocationNote: "You can disconnect it at any time under API & webhooks (OpenAPI settings).",
  allow: "Allow",
  deny: "Deny",
  otherAccount: "Use another account",
  missingScope: "Choose the permissions.",
  noAccess: "This account cannot allow access now",
  invalidRequestTitle: "This request for access is not valid",
  goBack: "Go back to",
  requestProblems: {
    "no client": "The address does not name the application: client_id is missing.",
    "two clients": "The address names client_id twice.",
    "two addresses": "The address names redirect_uri twice.",
    "unknown client": "This application does not exist, or it was turned off: client_id.",
    "no address": "The address does not say where to return to: redirect_uri is missing.",
    "wrong address": "The application may not return to this address: it has not registered this redirect_uri exactly.",
    "too long": "The request is too long."
  },
  invalidRequestDetails:
    "No access was given. Start again in the application. If it happens again, contact the maker of the application.",
  rejectedRequestDetails: "The application asked for access that it cannot have. No access was given."
} as const
