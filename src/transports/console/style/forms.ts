/**
 * Fields of `form.row` are side by side. `label.choice` is a radio button or checkbox before its text. `button.danger`
 * is for what cannot be undone. A link that begins a task is `a.button`.
 */
export const FORM_STYLES = `
form { margin: .75rem 0 0; display: grid; gap: .75rem; }
form.row { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: end; }
form.row > label { flex: 1 1 10rem; }
.fields { display: grid; gap: .75rem 1rem; grid-template-columns: repeat(auto-fit, minmax(min(12rem, 100%), 1fr)); align-items: start; }
label { display: grid; gap: .25rem; font-size: var(--size-small); color: var(--soft); min-width: 0; }
label, legend { overflow-wrap: anywhere; }
label.choice { display: flex; gap: .6rem; align-items: baseline; font-size: var(--size-body); color: var(--ink); padding: .35rem 0; }
label.choice input { flex: none; width: 1.15rem; height: 1.15rem; min-height: 0; margin: .2rem 0 0; align-self: start; accent-color: var(--button); }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
legend { padding: 0; font-size: var(--size-small); color: var(--soft); }
input, select, textarea {
  font: inherit; font-size: 1rem; width: 100%; min-width: 0; min-height: 2.75rem; padding: .35rem .6rem; border-radius: .4rem;
  border: 1px solid var(--edge); background: var(--card); color: var(--ink);
}
[aria-invalid=true] { border: 2px solid var(--bad-ink); }
.field-error { color: var(--bad-ink); font-weight: 600; }
button, a.button {
  font: inherit; font-weight: 600; min-height: 2.75rem; padding: .35rem 1rem; border: 1px solid var(--edge); border-radius: .4rem;
  background: transparent; color: var(--link); cursor: pointer; justify-self: start; text-decoration: none; display: inline-flex; align-items: center;
}
button.primary, a.button.primary { background: var(--button); color: var(--button-ink); border-color: transparent; }
button.danger { background: transparent; color: var(--bad-ink); border-color: var(--bad-ink); }
button.primary.danger { background: var(--danger); color: var(--danger-ink); border-color: transparent; }
button.link { border: 0; padding: 0; min-height: 0; text-decoration: underline; font-weight: 400; }
@media (min-width: 60rem) and (pointer: fine) {
  input, select, textarea, button, a.button { min-height: 2.25rem; font-size: var(--size-body); }
}
.acts { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.acts form, td form { margin: 0; }
.choices { max-height: 16rem; overflow: auto; border: 1px solid var(--line); border-radius: .4rem; padding: .25rem .75rem; }
.dialog { display: inline-block; margin: 0; }
.dialog > summary { padding: .25rem 0; white-space: nowrap; }
.dialog[open] > :not(summary) { max-width: 24rem; padding: .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
.withdraw { margin: 0; max-width: 20rem; }
.withdraw summary { padding: 0; white-space: nowrap; }
@media print { form { display: none; } }
`
