import { PASSWORD_MIN } from "../../platform/limits.ts"

const formatSeconds = (seconds: number): string => {
  if (seconds === 1) return "a second"
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
}

export const TEXTS = {
  frame: {
    product: "Latchkey",
    skip: "Skip to content",
    navigation: "Console",
    more: "More",
    access: "API & webhooks (OpenAPI settings)",
    password: "Password",
    signOut: "Sign out",
    signedInAs: "Signed in as",
    errorTitlePrefixes: { "404": "Not found", other: "Not done" }
  },
  accountProblems: {
    "Account banned":
      "Calls of the API and of connected applications are refused until the ban is lifted. Ask who runs this service. What gives access can still be seen and withdrawn here.",
    "Subscription expired":
      "Calls of the API and of connected applications are refused until the subscription is renewed; tokens and connections then work again as they are.",
    "Basic edition does not support this feature":
      "The API and connected applications need the pro edition; tokens and connections work once the account has it."
  },
  requestErrors: {
    crossSiteForm:
      "Only forms of these pages themselves are taken. Nothing was done. Open the page and send its own form.",
    formOfEarlierVisit:
      "Nothing was done: the form was made before this browser's visit began. You may have signed in or out in another window since. Open the page again and send its form.",
    noCookie:
      "Nothing was done: your browser sent no cookie of these pages, and without one they take no form. Allow cookies here, open the page again and send its form.",
    openPageAgain: "Open the page again",
    formReceiveErrors: {
      400: "The form could not be read. Send it again.",
      408: "The form did not arrive in time. Send it again.",
      413: "The form is too large.",
      415: "This is not a form."
    },
    tooManyRequests: (seconds: number) =>
      `Too many requests come from where you are. Wait ${formatSeconds(seconds)} and try again.`,
    invalidCharacter: "There is a sign in it that is none (U+0000).",
    noSuchPage: "There is no such page.",
    noSuchForm: "This page has no such form.",
    methodNotAllowed: "Only GET and POST.",
    internalError: "Something went wrong on our side. The log says what.",
    overloaded: "There is too much to do just now. Try again in a moment."
  },
  signIn: {
    title: "Sign in",
    email: "E-mail address",
    password: "Password",
    button: "Sign in",
    wrongCredentials: "There is no account with this e-mail address and this password.",
    tooManyAttempts: (seconds: number) =>
      `Too many tries were wrong. This one was not looked at: wait ${formatSeconds(seconds)} and try again.`,
    forgottenPasswordHint: "Forgot your password? Ask the administrator of this service to reset it.",
    forgottenPasswordLink: "Forgot your password?",
    passwordReset: "Your password is changed. Sign in with the new one."
  },
  reset: {
    title: "Reset your password",
    explanation: "Enter the e-mail address of your account. We send you a link to choose a new password.",
    email: "E-mail address",
    requestButton: "Send the link",
    requested:
      "If an account has this address, a link is on its way. It works once, within 30 minutes. Check your spam folder too. We send at most three links in 30 minutes to an address.",
    backToSignIn: "Back to sign-in",
    consequences: "A new password ends all your sessions. Sign in again with it.",
    newPassword: "New password",
    repeatedPassword: "Repeat new password",
    button: "Change the password",
    unusableLink: "This link was used, has expired, or is not complete. Request another one."
  },
  verification: {
    title: "Confirm your e-mail address",
    explanation: (email: string) => `After you confirm, we send the notifications that you choose to ${email}.`,
    button: "Confirm",
    verified: "Your e-mail address is confirmed. Now choose your notifications.",
    unusableLink: "This link was used, has expired, or is not complete. Request another one in the console.",
    toNotifications: "Notifications"
  },
  notifications: {
    title: "Notifications",
    mailDisabled: "This service sends no mail. Ask its administrator to set up a mail server.",
    address: "E-mail address",
    verified: "confirmed",
    unverified: "not confirmed",
    verificationExplanation:
      "We send notifications only to an address that you have confirmed. The link in the mail works for 24 hours.",
    requestVerification: "Send the link",
    verificationRequested: "A mail with a link is on its way. Open the link to confirm your address.",
    choices: "Mail me about",
    kinds: {
      new_booking: "New bookings",
      booking_request: "Booking requests that need my answer",
      guest_message: "Messages from guests",
      failing_webhook: "Webhooks that fail",
      failing_calendar: "iCal imports that fail"
    },
    gatheringNote: "We send the first notification at once, and collect further ones for ten minutes in one mail.",
    save: "Save",
    saved: "Your notifications are saved."
  },
  sudo: {
    label: "Your password, as it is some time since you gave it",
    missingPassword:
      "It is some time since you gave your password, and this needs it. Fill it in and send the form again.",
    wrongPassword: "This is not your password."
  },
  password: {
    title: "Change the password",
    consequences:
      "You stay signed in here, and are signed out everywhere else. Tokens and connected applications go on working.",
    rule: `Use at least ${PASSWORD_MIN} characters. Very common passwords, and the name or e-mail address of the account, are not accepted.`,
    currentPassword: "The password you have",
    newPassword: "The new one",
    repeatedPassword: "The new one once more",
    button: "Change the password",
    passwordsDiffer: "The new password was not the same both times.",
    changedMeanwhile:
      "Your password was changed by somebody else meanwhile, or you signed out. It is not changed by this form. Sign in again.",
    passwordChanged: "Your password is changed, and you are signed out everywhere else."
  },
  consent: {
    title: "Give access",
    requestsAccess: "asks for access to your data.",
    app: "Application",
    appHere: "An app on this computer",
    appOfSite: "The site",
    appOfScheme: "An app on this device",
    redirectTarget: "Where you will be led",
    account: "Account",
    subAccount: "sub-account: it gives what it may itself",
    unverifiedClientWarning:
      "Anybody can make such an app. Give it access only if you have just begun to connect one yourself.",
    scopeLegend: "What may it do?",
    readOnly: "Only look",
    readOnlyMore: "Reservations, guests, messages, prices, income and expenses: it sees them and changes nothing.",
    writable: "Look and change",
    writableMore: "It also books, cancels, writes to guests, changes prices, and records income and expenses.",
    requestedScope: "This is what it asks for.",
    onlyReadOnly: "It asks for no more.",
    revocationNote: "You can end it at any time in the OpenAPI settings.",
    allow: "Give access",
    deny: "Refuse",
    otherAccount: "Use another account",
    missingScope: "Choose what it may do.",
    noAccess: "This account cannot give access now",
    invalidRequestTitle: "This is no request for access",
    goBack: "Go back to",
    requestProblems: {
      "no client": "The address does not say which application asks: client_id is missing.",
      "two clients": "The address names client_id twice.",
      "two addresses": "The address names redirect_uri twice.",
      "unknown client": "There is no such application, or it was switched off: client_id.",
      "no address": "The address does not say where to lead you back to: redirect_uri is missing.",
      "wrong address":
        "The application may not have you led there: redirect_uri is not one it has registered, to the letter.",
      "too long": "The request is too long."
    },
    invalidRequestDetails:
      "Nothing was given to anybody. Begin again in the application; if it happens again, tell its makers.",
    rejectedRequestDetails: "The application asked for something that it cannot have. Nothing was given to anybody."
  },
  access: {
    title: "OpenAPI settings",
    done: {
      done: "Done.",
      webhook_changed: "The webhook is changed. What waited for its receiver is sent now.",
      webhook_paused: "The webhook is paused: nothing is sent until you resume it.",
      webhook_resumed: "The webhook is resumed. What waited for its receiver is sent now.",
      webhook_deleted: "The webhook is deleted. What it still waited for is not sent.",
      delivery_sent_again: "It is sent again. Load this page once more in a moment to see what was answered.",
      delivery_waits_for_resume:
        "It is to be sent again, and waits: the webhook is paused. It goes when you resume it.",
      delivery_waits_for_rest:
        "It is to be sent again, and waits: the webhook is resting after failures. It goes when the receiver answers again, or at once when you save the settings.",
      token_deleted: "The token is deleted. Programs that use it are refused within seconds.",
      already_done: "You sent this form before. It took effect then, and nothing has changed now.",
      application_disconnected:
        "The application is disconnected. Its tokens stop working within seconds, and the webhooks, rules and feeds that it made have ended.",
      consumer_deleted: "The consumer is deleted."
    },
    timeZoneNote: (timeZone: string) => `Times are shown in ${timeZone}.`,
    never: "never",
    tokens: {
      title: "Access tokens",
      text: "An access token lets a program of yours, or an agent, call the API. Each program has its own, so that one can be taken away without the others.",
      linkText: "More about access tokens",
      none: "There is no access token yet.",
      caption: "Tokens that work, the newest first",
      name: "Name",
      scope: "Scope",
      account: "Account",
      createdAt: "Made",
      lastUsed: "Last used",
      withdraw: "Delete",
      revocationConsequence: (name: string) =>
        `Programs that use “${name}” are refused within seconds. Its webhooks stay. A deleted token cannot be brought back.`,
      older: "Older tokens",
      newer: "Newer tokens",
      new: "New token",
      nameHint: "What it is for, such as the name of the program.",
      scopes: {
        "read-only": "read-only: it can look at everything",
        writable: "writable: it can also change everything"
      },
      scopeFixedNote: "The scope of a token cannot be changed later.",
      createToken: "Make the token",
      noSuch: "There is no such token. It may have been deleted already.",
      createdTitle: (name: string) => `The token “${name}” is made`,
      copyTokenNow: "Copy it now. It is shown this once, and nobody can show it again.",
      firstCallHint: "A first call with it:",
      reloadWarning: "If you reload this page, the token is not shown again. Continue with the link.",
      repeatedToken:
        "You already sent this form, and the token was created. It is shown only once: if you did not copy it, delete it and make another.",
      continueLink: "I have copied it"
    },
    applications: {
      title: "Connected applications",
      text: "Software and agents that you gave access on the page they led you to. They have no password of yours, and each can be disconnected by itself.",
      linkText: "More about connected applications",
      none: "No application is connected.",
      caption: "Connections, the newest first",
      name: "Application",
      scope: "Scope",
      account: "Account",
      connectedAt: "Connected",
      lastUsed: "Last used",
      withdraw: "Disconnect",
      revocationConsequence: (name: string) =>
        `“${name}” loses its access within seconds: its tokens end, and the webhooks, automation rules and property feeds that it created end with them. It can ask you for access again.`,
      noSuch: "There is no such connection. It may have ended already."
    },
    consumers: {
      title: "Consumers of the feed",
      text: "Programs that read what happened from the feed of events, and leave word of how far they have read.",
      linkText: "More about the feed",
      none: "Nobody reads the feed under a name.",
      caption: "Consumers, by name",
      name: "Name",
      lag: "Behind by",
      oldestUnreadEvent: "Oldest unread event",
      upToDate: "none",
      events: (lag: number, countLimit: number) =>
        lag >= countLimit
          ? `${countLimit.toLocaleString("en")} events or more`
          : lag === 1
            ? "1 event"
            : `${lag.toLocaleString("en")} events`,
      withdraw: "Delete",
      revocationConsequence: (name: string) =>
        `How far “${name}” has read is forgotten. No event is lost, and a program that goes on with it makes it anew.`
    },
    webhooks: {
      title: "Webhooks",
      webhookTitle: "Webhook",
      intro:
        "A webhook tells a program of yours, at an https address, what happens: a reservation that comes in, a message, a review.",
      none: "There is none yet.",
      columns: { address: "Address", events: "Events", createdBy: "Made by", state: "State" },
      allEvents: "all",
      unknownCreator: "not known",
      application: "the application",
      add: "Add a webhook",
      url: "Address, beginning with https://",
      events: "Events it is told of",
      addButton: "Add",
      createdMessage:
        "The webhook is made. This is its signing secret, which its receiver checks deliveries with. It is shown this once: copy it now. If it is lost, make a new one on the page of the webhook.",
      reloadWarning: "If you reload this page, the secret is not shown again. Continue with the link.",
      continueLink: "I have copied it",
      repeatedSecret:
        "You already sent this form, and its secret was shown then. If you did not copy it, make a new one on the page of the webhook.",
      back: "All webhooks",
      noSuch: "You have no such webhook. It may have been deleted, or its application disconnected.",
      states: { healthy: "active", failing: "failing", resting: "resting", probing: "resting", paused: "paused" },
      failures: "Failures in a row:",
      since: "since",
      retriedFrom: "tried again from",
      pausedSince: "Since",
      settings: "Settings",
      createdAt: "Made at",
      change: "Save",
      changeResumes: "Saving also resumes a webhook that is paused, and sends at once what waits for another try.",
      pause: "Pause",
      pauseExplanation:
        "While it is paused nothing is sent. What happens is kept for it: three days long, then it is given up, and can be sent again from the list below.",
      resume: "Resume",
      alreadyPaused: "It is paused already.",
      test: "Send a test event",
      testExplanation:
        "An event webhook_test is sent now, once and signed as any other, also while the webhook is paused. It is in no list, and nothing changes by it.",
      testSent: "The test event was sent to",
      testAccepted: "The receiver has taken it.",
      testNotAccepted: "The receiver has not taken it.",
      testBusy: "Test events are still under way. Wait until they are answered, ten seconds at most.",
      testTooMany: "That were too many test events for one minute. Wait a moment.",
      rotate: "Make a new signing secret",
      rotateExplanation:
        "For 24 hours deliveries carry the signatures of both secrets, so you can change yours in between. Making another within that day ends the oldest. A webhook that is paused stays so.",
      rotatedSecretMessage: "This is the new signing secret. It is shown this once: copy it now.",
      remove: "Delete",
      removeExplanation: "What it still waits for is not sent. Deleting cannot be undone.",
      confirmRemoval: "Yes, delete this webhook",
      removalNotConfirmed: "To delete it, check the box that says so.",
      deliveries: "Recent deliveries",
      deliveriesExplanation:
        "The latest first, with every try and what came back. Deliveries are kept for seven days, and thirty if they were given up.",
      noDeliveries: "Nothing has been sent yet, or nothing in the last days.",
      deliveryColumns: { event: "Event", attempts: "Tries" },
      deliveryStates: { waiting: "waiting", delivered: "delivered", dead: "given up" },
      nextAttempt: "Next try from",
      notAttempted: "It was not tried yet.",
      earlierAttempts: "Earlier tries",
      responseStart: "The answer began with",
      sendAgain: "Send again",
      notReplayable: "This delivery is already queued, or it is too old to send again.",
      older: "Older deliveries",
      newest: "The newest deliveries",
      milliseconds: "ms",
      timeZoneNote: "Times are those of",
      failureReasons: {
        refused_address: "The address leads into a private network, where this service sends nothing.",
        refused_url: "The address is none that may be sent to: it must begin with https://.",
        dns: "The name in the address was not found. Is it spelled right, and still registered?",
        connect: "Nobody took the connection: the program is not running there, or a firewall keeps it closed.",
        tls: "There was no secure connection: the receiver's certificate has expired, is of another name, or is not trusted.",
        closed: "The receiver closed the connection before its answer was complete.",
        protocol: "What came back is not HTTP. Is it the right port?",
        timeout: "There was no complete answer in ten seconds. The receiver should answer first and work afterwards."
      },
      statusExplanations: {
        "2xx": "The receiver has it.",
        "3xx": "The receiver sent us elsewhere, which is not followed. Put the address that it leads to here.",
        "401": "The receiver wants credentials that deliveries do not have.",
        "403": "The receiver refuses us; often a firewall or a wrong signing secret.",
        "404": "The receiver has nothing at this address. Is the path right?",
        "405": "The receiver takes no POST at this address. Is the path right?",
        "410": "The receiver says that this address is gone for good.",
        "413": "The event is too large for the receiver.",
        "429": "The receiver is asked too often, it says; it is tried again later.",
        "4xx": "The receiver refuses the event; its answer may say why.",
        "502": "There is a proxy at this address, and the program behind it does not answer.",
        "503": "The receiver is overloaded, or down for maintenance.",
        "504": "There is a proxy at this address, and the program behind it took too long.",
        "5xx": "The receiver failed while it worked on the event; its own log says why.",
        other: "The receiver answered something that is neither yes nor no."
      }
    }
  }
} as const
