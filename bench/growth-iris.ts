/** The home page of the people of the growth benchmark, and the base of their courses and lessons. */
export const HOME = 'https://school.example'
export const OBJECTS = `${HOME}/objects`
