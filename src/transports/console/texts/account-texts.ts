import { PASSWORD_MIN } from "../../../platform/limits.ts"
import { formatWait } from "./wait-text.ts"

/** Texts of signing in, of the password and of the e-mail address. */
export const ACCOUNT_TEXTS = {
  signIn: {
    title: "Sign in",
    email: "E-mail address",
    password: "Password",
    button: "Sign in",
    wrongCredentials: "The e-mail address or the password is wrong.",
    tooManyAttempts: (seconds: number) =>
      `Too many wrong attempts. We did not check this one. Wait ${formatWait(seconds)} and try again.`,
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
    button: "Change password",
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
    label: "Confirm your password",
    missingPassword: "Please confirm your password to continue.",
    wrongPassword: "The password is wrong."
  },
  password: {
    title: "Change password",
    consequences:
      "You stay signed in here. All other browsers are signed out. Access tokens and connected applications keep working.",
    rule: `Use at least ${PASSWORD_MIN} characters. Very common passwords, your name and your e-mail address are not accepted.`,
    currentPassword: "Current password",
    newPassword: "New password",
    repeatedPassword: "Repeat new password",
    button: "Change password",
    passwordsDiffer: "The two new passwords are different.",
    changedMeanwhile:
      "Your password was changed in another window, or you signed out there. This form changed nothing. Sign in again.",
    passwordChanged: "Your password is changed. All other browsers are signed out."
  }
} as const
