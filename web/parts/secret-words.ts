export const secretWords = {
  title: (label: string) => `Save your ${label.toLowerCase()}`,
  text: 'You won’t see it again. Anyone who has it can act as the app: store it on your server, never in an app that people install.',
  label: 'Client secret',
  kept: 'I’ve saved it',
}
