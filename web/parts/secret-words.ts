export const secretWords = {
  title: 'Keep this secret now',
  text: 'It is shown only this once. Anybody who has it can act as the app: keep it on your server, never in an app that people install.',
  label: 'Client secret',
  kept: 'I have kept it',
}
