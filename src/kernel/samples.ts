/**
 * Sample ids, tokens and dates for the examples in operation declarations. All examples use the same values, so they
 * fit together. The people and the app are those of the demo data. A test replaces the values with real ones and sends
 * the examples.
 */

export const BASE_URL = 'http://localhost:4000'
export const CONTENT_URL = 'http://files.content.localhost:4000'
export const DONE = { success: true }

export const PASSWORD = 'groundschool'
export const NEW_PASSWORD = 'cloudy with a chance of solo'

export const CLIENT_ID = 'gs-demo-app'
export const CLIENT_SECRET = 'gs-demo-secret'
/** Credential for the record store. */
export const STORE_KEY = 'gs_key_T3mWq8ZxKd5LbN1vRy7HpA'
export const STORE_SECRET = 'gs_cs_Vb6nM2kXq9TzR4wLc8HyJ1sD5fG7pA3eU0iO6tK2xWnQm4Zr'
export const REDIRECT_URI = 'http://127.0.0.1/callback'

export const USER_IDS = {
  avery: 'Yb3v0mT2S8eJq5xKd1LwHg',
  blake: 'n7QzR4cWfU6hA2yVtE9oXw',
  casey: 'J0kPi8GdBqM5rL3uZxC1vA',
  drew: 'e5TsH9wDaYf2KjO7bVnR4Q',
}

export const ACCESS_TOKEN = 'gs_at_mN4qT8vX2bK6cR0wZ5yE7uJ1hG3fD9sA4pL6oI2nB8kQ1x7Rt'
export const REFRESH_TOKEN = 'gs_rt_Hw3kP9sV5zC1mX7bN2qL8tR4yF6jD0gS3uA5eK9oW1iT7vBz'
export const CODE = 'gs_ac_zT5nY1kV8wQ3rJ6mB0xF9cH2dL7sP4gA1eU8iO5tR2yKq6Wn'
export const CODE_VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
export const DEVICE_CODE = 'gs_dc_Qe8rT2yU6iO0pA4sD7fG1hJ5kL9zX3cV8bN2mW6qE0rTt4Yx'
export const USER_CODE = 'BCDF-GHJK'
export const RESET_CODE = 'gs_pr_Lk7jH1gF5dS9aP3oI6uY0tR4eW8qM2nB6vC1xZ5lKj9Hg3Fd'

export const SIGN_UP_CODE = 'gs_su_Pq4wE8rT2yU6iO0aS5dF9gH3jK7lZ1xC6vB0nM4qW8eR3tYu'
export const ORGANISATION_CODE = 'DGRGS-PGPHP'

export const PROVIDER_ISSUER = 'https://login.sandhills.example'

export const CALENDAR_SECRET = 'gs_cf_Wq7zN3kT9vB5xM1rL8cY4pH6jD2gS0fA7eU3iO9tK5yXn1Zq'
export const FETCH_TOKEN = 'gs_lf_Rm4xK8vT2nB6yQ1wZ9cL3hJ7dP5sG0fA8eU2iO6tV4bXn1Yp'

export const SESSION_ID = '6f1c9a52-3b7e-4d08-9c41-a2f5d0b83e17'
export const BROWSER_ID = 'b84d2e60-57fa-4c19-8e3b-1d90c6a7f245'
export const PASSKEY_ID = '2c7e5f18-90ab-4d63-b1f7-84e2a6c0d935'

export const INVITATION_ID = 'mD5vTq8KcXf2RbW7nLs0Jg'
export const EVALUATION_ID = 'gV3nYd7LpXs1MqT8cHk5Rw'
export const ANNOUNCEMENT_ID = 'tK8wQz3BnVr5XcJ1mLd6Hg'
export const NOTE_ID = 'pR7sKd2VwXq9BnT4mHz1Lg'
export const FILE_ID = 'Vb3nQx8RtLm2KzWc7HdJ0g'
export const PACKAGE_ID = 'Jw5mTz1QsNc8XbRf3KyD6p'
export const PACKAGE_UPLOAD_ID = 'Mq2vHs7TnXc4ZbWk9LyE1r'
export const QUESTION_ID = 'kV4wZr8NqYt1HcM6xPb3Sg'
export const QUIZ_ATTEMPT_ID = 'bT9fJm3RkWd7XsQ2vLn5Hg'
export const SEARCH_ID = 'w5QeJc8ZtLn0RxM3vKb7Yg'
export const PLAN_ID = 'h2TfPa6DsWk9GqB1yNj4Uw'

/** Avery's user ID in the AI plugin of the demo data. */
export const PLUGIN_USER_ID = 'a9VxM3kRt7LwQe0ZbH5nJg'
export const BADGE_ID = 'hC4sW8pKy2TfXv6DgN1mRq'
export const DELIVERY_ID = 'evt_Kq3wX8tB5mV0zR6yN1cLpA'

/** Handle of a generated test person in the sandbox. */
export const TESTER = '@alex-9f2c41d7'

export const BROWSER_ADDRESS = '127.0.0.1'
export const REQUEST_ID = 'q7Xm2Kd0-1f'

export const MOMENT = '2026-05-01T12:00:00.000Z'
export const LATER = '2026-05-02T12:00:00.000Z'
/** Birth date of Kim, a child. */
export const BIRTH = '2019-05-04'
export const ATO_PACKAGE_ID = 'Vt6wLk3NfQ9yRb1XsM8cZg'
export const ATO_DISTRIBUTION_ID = 'hD4pUe7TzJ0mAo5KiW2vYq'
export const ATO_REQUEST_ID = 'x8GnS1rCqE6jFt3HdB9lPw'
export const STORE_KEY_NAME = 'Demo simulator'
