/** People with one of these roles in an organisation count as trainers or trainees. */
export const TRAINER_ROLES: readonly string[] = ['instructor', 'trainer', 'teacher']
export const TRAINEE_ROLES: readonly string[] = ['student', 'trainee', 'learner']
